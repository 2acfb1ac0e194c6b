import { LOG_READ_MAX_BYTES } from '@fleet/contract'
import { programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'

export interface ContainerLog {
  readonly processId: number
  readonly container: string
  readonly lines: number
}

/** The last lines that a container printed on both outputs; none for one that does not exist. */
export const readContainerLog: NodeScript<ContainerLog, readonly string[]> = {
  source: programOf(textFile('read-container.sh', import.meta.url), START),
  args: ({ processId, container, lines }) => [processId, container, lines, LOG_READ_MAX_BYTES],
  timeoutSeconds: 45,
  // The lines and the name of their field.
  maxOutputBytes: LOG_READ_MAX_BYTES + 100,
  reasons: {
    'no-docker': 'process.logs_failed',
    foreign: [
      'process.logs_failed',
      'A container of this name exists on the Node and was not created for this Process, so its log was not read.',
    ],
  },
  broken: 'process.logs_failed',
  read: (answer) =>
    answer
      .bytes('lines')
      .toString('utf8')
      .replace(/\r?\n$/, '')
      .split(/\r?\n/),
}
