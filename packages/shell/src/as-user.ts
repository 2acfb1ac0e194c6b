import { type Command, inputOf, run } from './command.ts'

/**
 * Runs the command as another user by `sudo` without a prompt; its standard input stays its own.
 * A Node without the right to do so fails with a status other than 0 and prints nothing on standard output.
 */
export function asUser(user: string, command: Command): Command {
  const line = run('sudo', '-n', '-u', user, '--', 'sh', '-c', command.line).line
  const shown = `${run('sudo', '-n', '-u', user, '--').line} ${command.shown}`
  return { line, shown, ...inputOf(command) }
}
