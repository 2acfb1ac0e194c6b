import type { CliFamily, CliTree } from '@fleet/surfaces'
import type { CommandSpec } from './command-spec.ts'
import { usage } from './exit.ts'
import { localCommands, localFamilies } from './local/specs.ts'
import { didYouMean } from './suggest.ts'

export interface Commands {
  readonly tree: CliTree
  /** Families with the commands of this client among them. */
  readonly families: readonly CliFamily[]
  readonly names: readonly string[]
  find(name: string): CommandSpec | undefined
}

/** The operations and the commands of this client itself. Where both have a name, the client's own goes before. */
export function allCommands(tree: CliTree): Commands {
  const local: Readonly<Record<string, CommandSpec>> = localCommands(tree)
  return {
    tree,
    families: families(tree, Object.keys(local)),
    names: [...new Set([...Object.keys(tree.commands), ...Object.keys(local)])].toSorted(),
    find: (name) =>
      Object.hasOwn(local, name)
        ? local[name]
        : Object.hasOwn(tree.commands, name)
          ? tree.commands[name]
          : onlyCommand(tree, name),
  }
}

/** A family with nothing but one thing to run is called by its own name too: `fleet doctor`. */
function onlyCommand(tree: CliTree, name: string): CommandSpec | undefined {
  const [only, ...others] = tree.families.find((family) => family.name === name)?.commands ?? []
  return only === `${name}:run` && others.length === 0 ? tree.commands[only] : undefined
}

function families(tree: CliTree, local: readonly string[]): readonly CliFamily[] {
  const merged = tree.families.map((family) => {
    const own = local.filter((name) => name.startsWith(`${family.name}:`))
    return { ...family, commands: [...new Set([...family.commands, ...own])].toSorted() }
  })
  return [...merged, ...localFamilies]
}

/** The command of this name, or the usage error that names its neighbours. */
export function requireCommand(commands: Commands, name: string): CommandSpec {
  const found = commands.find(name)
  if (found) return found
  throw unknownCommand(commands, name)
}

/** The usage error for a command that is none, as it was typed. */
export function unknownCommand(commands: Commands, name: string, typed = name): Error {
  const family = commands.families.find((candidate) => candidate.name === name.split(':')[0])
  const near = didYouMean(name, [...commands.names, ...commands.families.map((known) => known.name)])
  return usage(
    `Unknown command: ${typed}.`,
    near ??
      (family
        ? `fleet help ${family.name} shows the commands of this family.`
        : 'fleet help shows all commands.'),
  )
}
