import { type Command, run, shownAs, type Word } from './command.ts'

/**
 * A POSIX `sh` script as one command, so that several things cost one round trip. The source is a constant; what varies
 * comes as positional arguments (`$1`, …) or on standard input. Source and arguments travel on standard input too: sudo
 * writes the whole argument list of what it starts into the journal of the Node, and every user there can read it.
 * The text of the script's first comment line names it in logs and in that journal.
 */
export function script(source: string, ...args: readonly Word[]): Command {
  const title = titleOf(source)
  const body = `{\n${run('set', '--', ...args).line}\n${source}\n}`
  // The shell reads a group to its closing brace before it runs the first line of it: one that was cut off runs nothing.
  const program = `${body} </dev/null\n`
  const command = run('sh', '-s', title)
  return { ...shownAs(command, shownScript(source, ...args)), program, fed: fedScript(title, body) }
}

/** How logs show a script with these arguments. */
export const shownScript = (source: string, ...args: readonly Word[]): string =>
  run('script', titleOf(source), ...args).line

/** The same script with standard input of its own behind its text, which ends after as many bytes as are said. */
const fedScript = (title: string, body: string): Pick<Command, 'line' | 'program'> => ({
  line: run('sh', '-c', READ_PROGRAM, title, Buffer.byteLength(body)).line,
  program: body,
})

// One read that takes exactly so many bytes, whatever the pieces they arrive in. A dd without fullblock refuses the word
// before it has read anything, and then reads byte by byte: what follows belongs to the script.
const READ_PROGRAM =
  'eval "$(dd bs="$1" count=1 iflag=fullblock 2>/dev/null || dd bs=1 count="$1" 2>/dev/null)"'

/**
 * A program behind the libraries whose functions and variables it uses, as one source; the program's first comment line
 * stays its title.
 */
export const programOf = (program: string, ...libraries: readonly string[]): string =>
  [`# ${titleOf(program)}`, ...libraries, program].join('\n')

const titleOf = (source: string): string => /^\s*#\s*(\S[^\n]*)/.exec(source)?.[1]?.trimEnd() ?? 'sh'
