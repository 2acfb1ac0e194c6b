import { type Command, inputOf, type Joint, run, takesInput } from './command.ts'

/** Each runs only when the one before it succeeded. */
export const and = (...commands: readonly Command[]): Command => join('&&', commands)

/** Each runs only when the one before it failed. */
export const or = (...commands: readonly Command[]): Command => join('||', commands)

/** Each reads what the one before it prints; the exit code is that of the last. */
export function pipe(...commands: readonly Command[]): Command {
  if (commands.slice(1).some(takesInput)) {
    throw new Error('only the first command of a pipe may take standard input')
  }
  return join('|', commands)
}

/** Runs the command in an absolute directory; nothing runs when it cannot be entered. */
export function inDirectory(path: string, command: Command): Command {
  // A relative path would be looked up in CDPATH, and `-` would mean the directory before.
  if (!path.startsWith('/')) throw new Error('a directory to work in must be absolute')
  return and(run('cd', '--', path), command)
}

/** Throws away what the command prints on standard output. */
export const withoutOutput = (command: Command): Command => redirect(command, '>/dev/null')

/** Throws away what the command prints on both outputs. */
export const quiet = (command: Command): Command => redirect(command, '>/dev/null 2>&1')

/** Gives the command an empty standard input, so that it cannot read what is meant for the next one. */
export function withoutInput(command: Command): Command {
  if (takesInput(command)) throw new Error('the command takes standard input')
  return redirect(command, '</dev/null')
}

const join = (joint: Joint, commands: readonly Command[]): Command => {
  const [only, second] = commands
  if (!only) throw new Error('nothing to join')
  if (!second) return only
  const [fed, other] = commands.filter(takesInput)
  // One channel has one standard input; two senders would feed whichever command reads first.
  if (other) throw new Error('only one joined command may take standard input')
  const by = (part: (command: Command) => string): string =>
    commands.map((c) => grouped(c, joint, part(c))).join(` ${joint} `)
  const joined = { line: by((c) => c.line), shown: by((c) => c.shown), joint }
  return fed ? { ...joined, ...inputOf(fed) } : joined
}

// `&&` and `||` bind equally and to the left, `|` binds tighter: without braces a nested list would change its meaning.
const grouped = (command: Command, joint: Joint, text: string): string =>
  command.joint === undefined || command.joint === joint || command.joint === '|' ? text : `{ ${text}; }`

const redirect = (command: Command, to: string): Command => {
  const part = (text: string): string =>
    command.joint === undefined ? `${text} ${to}` : `{ ${text}; } ${to}`
  const redirected = { line: part(command.line), shown: part(command.shown) }
  return { ...redirected, ...inputOf(command) }
}
