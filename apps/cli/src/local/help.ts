import type { Context } from '#/context.ts'
import { requireCommand } from '#/commands.ts'
import { familyHelp, overview } from '#/print/help.ts'
import { commandHelp } from '#/print/help-command.ts'

/** Prints the help of everything, a family or a command. Throws the usage error of an unknown name. */
export function printHelp(words: readonly string[], { commands, terminal }: Context): void {
  const [name] = words.filter((word) => !word.startsWith('-'))
  terminal.out(helpText(name, commands, terminal))
}

function helpText(
  name: string | undefined,
  commands: Context['commands'],
  { columns, outColors }: Context['terminal'],
): string {
  if (name === undefined) return overview(commands, columns, outColors)
  const family = commands.families.find((candidate) => candidate.name === name)
  if (family && !commands.find(name)) return familyHelp(family, commands, columns, outColors)
  return commandHelp(requireCommand(commands, name), commands, columns, outColors)
}
