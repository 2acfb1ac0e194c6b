import { LOG_READ_MAX_BYTES } from '@fleet/contract'
import { programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'

export interface JournalRead {
  readonly lines: readonly string[]
  /** Earlier lines of those asked for were more than an answer takes. */
  readonly isTruncated: boolean
}

/** The last lines that a unit printed, as root; none for a unit that never ran. Who asks says what a failure is called. */
export const readJournal: NodeScript<{ readonly unit: string; readonly lines: number }, JournalRead> = {
  source: programOf(textFile('commands/read-journal.sh', import.meta.url), START),
  args: ({ unit, lines }) => [unit, lines, LOG_READ_MAX_BYTES],
  timeoutSeconds: 30,
  // The lines and the names of the fields.
  maxOutputBytes: LOG_READ_MAX_BYTES + 200,
  reasons: {},
  broken: 'node.command_failed',
  read: (answer) => ({
    lines: answer.bytes('lines').toString('utf8').replace(/\n$/, '').split('\n'),
    isTruncated: answer.flag('truncated'),
  }),
}
