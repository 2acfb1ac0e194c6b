import { LOG_READ_MAX_BYTES } from '@fleet/contract'
import { type Command, script, textFile } from '@fleet/shell'

export interface LogPlace {
  /** Folder above the checkout. */
  readonly root: string
  /** From the root to the folder of the log: normalized, the name of the checkout first. */
  readonly directory: string
  /** Without `.log`. */
  readonly name: string
}

/**
 * Prints the last lines of a framework's log: of the file, or where that is absent of the newest dated one beside it
 * (INS-124). Nothing when there is none, or where the file or a folder on its path below the root is a link: it could lead
 * to what its reader may not see.
 */
export const readLog = ({ root, directory, name }: LogPlace, lines: number): Command =>
  script(SOURCE, root, directory, name, lines, LOG_READ_MAX_BYTES)

const SOURCE = textFile('read-log.sh', import.meta.url)
