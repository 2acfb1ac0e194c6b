import { LOG_READ_MAX_BYTES } from '@fleet/contract'
import { programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'

export interface LogPlace {
  /** Folder above the checkout, or above the release. */
  readonly root: string
  /** From the root to the folder of the log: normalized, the name of the checkout or release first. */
  readonly directory: string
  /** Without `.log`. */
  readonly name: string
}

/**
 * The last lines of a framework's log, as whoever runs the application: of the file, or where that is absent of the newest dated one
 * beside it (INS-124). None when there is no file, or where the file or a folder on its path below the root is a link: it
 * could lead to what its reader may not see.
 */
export const readLog: NodeScript<LogPlace & { readonly lines: number }, readonly string[]> = {
  source: programOf(textFile('read-log.sh', import.meta.url), START),
  as: 'login',
  args: ({ root, directory, name, lines }) => [root, directory, name, lines, LOG_READ_MAX_BYTES],
  timeoutSeconds: 30,
  // The lines and the name of their field.
  maxOutputBytes: LOG_READ_MAX_BYTES + 100,
  reasons: {},
  broken: 'logs.read_failed',
  read: (answer) =>
    answer
      .bytes('lines')
      .toString('utf8')
      .replace(/\r?\n$/, '')
      .split(/\r?\n/),
}
