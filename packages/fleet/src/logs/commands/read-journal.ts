import { LOG_READ_MAX_BYTES } from '@fleet/contract'
import { programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'

/** The last lines that a unit printed, as root; none for a unit that never ran. */
export const readJournal: NodeScript<{ readonly unit: string; readonly lines: number }, readonly string[]> = {
  source: programOf(textFile('read-journal.sh', import.meta.url), START),
  args: ({ unit, lines }) => [unit, lines, LOG_READ_MAX_BYTES],
  timeoutSeconds: 30,
  // The lines and the name of their field.
  maxOutputBytes: LOG_READ_MAX_BYTES + 100,
  reasons: {},
  broken: 'process.logs_failed',
  read: (answer) => answer.bytes('lines').toString('utf8').replace(/\n$/, '').split('\n'),
}
