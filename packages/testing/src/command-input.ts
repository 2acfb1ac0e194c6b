import { type Command, inputOf } from '@fleet/shell'

/** All that a command reads, for tests that start it themselves. */
export const inputBytes = (command: Command): Buffer =>
  Buffer.concat(inputOf(command).map((part) => Buffer.from(part)))
