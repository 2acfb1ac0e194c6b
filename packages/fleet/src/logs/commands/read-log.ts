import { LOG_READ_MAX_BYTES } from '@fleet/contract'
import { type Command, script, textFile } from '@fleet/shell'

/**
 * Prints the last lines of a framework's log: of the file, or where that is absent of the newest dated one beside it
 * (INS-124). Nothing when there is none. A link is no log: it could lead to what its reader may not see.
 */
export const readLog = (directory: string, name: string, lines: number): Command =>
  script(SOURCE, directory, name, lines, LOG_READ_MAX_BYTES)

const SOURCE = textFile('read-log.sh', import.meta.url)
