import { programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'

export interface JournalRequest {
  readonly unit: string
  readonly lines: number
  readonly maxBytes: number
}

export interface JournalRead {
  readonly lines: readonly string[]
  /** Earlier lines of those asked for were more than an answer takes. */
  readonly isTruncated: boolean
}

/** More than anybody asks for, with the names of the fields. */
const ANSWER_MAX_BYTES = 5 * 1024 * 1024

/** The last lines that a unit printed, as root; none for a unit that never ran. Who asks says what a failure is called. */
export const readJournal: NodeScript<JournalRequest, JournalRead> = {
  source: programOf(textFile('commands/read-journal.sh', import.meta.url), START),
  args: ({ unit, lines, maxBytes }) => [unit, lines, maxBytes],
  timeoutSeconds: 30,
  maxOutputBytes: ANSWER_MAX_BYTES,
  reasons: {},
  broken: 'node.command_failed',
  read: (answer) => ({
    lines: answer.bytes('lines').toString('utf8').replace(/\n$/, '').split('\n'),
    isTruncated: answer.flag('truncated'),
  }),
}
