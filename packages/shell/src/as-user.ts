import { type Command, startedBy } from './command.ts'

/**
 * Runs the command as another user by `sudo` without a prompt; its standard input stays its own.
 * A Node without the right to do so fails with a status other than 0 and prints nothing on standard output.
 */
export const asUser = (user: string, command: Command): Command =>
  startedBy(['sudo', '-n', '-u', user, '--'], command)
