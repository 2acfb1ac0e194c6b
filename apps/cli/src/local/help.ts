import type { Context } from '#/context.ts'
import { allCommands, type Commands, requireCommand } from '#/commands.ts'
import { EXIT, type ExitCode } from '#/exit.ts'
import { foldAll } from '#/print/fold.ts'
import { familyHelp, overview } from '#/print/help.ts'
import { commandHelp } from '#/print/help-command.ts'

/** Prints the help of everything, a family or a command. Throws the usage error of an unknown name. */
export function printHelp(words: readonly string[], { tree, terminal }: Context): ExitCode {
  const [name] = words.filter((word) => !word.startsWith('-'))
  const text = helpText(name, allCommands(tree), terminal)
  terminal.out(foldAll(text.split('\n'), terminal.columns, (line) => line.length).join('\n'))
  return EXIT.ok
}

function helpText(
  name: string | undefined,
  commands: Commands,
  { columns, outColors }: Context['terminal'],
): string {
  if (name === undefined) return overview(commands, columns, outColors)
  const family = commands.families.find((candidate) => candidate.name === name)
  if (family && !commands.find(name)) return familyHelp(family, commands, columns, outColors)
  return commandHelp(requireCommand(commands, name), commands, columns, outColors)
}
