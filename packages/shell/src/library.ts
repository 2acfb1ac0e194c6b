import { textFile } from './text-file.ts'

/**
 * Shell functions for scripts that answer in fields: `field NAME VALUE` for a value without NUL, `field_file NAME PATH` for
 * the bytes of a regular file.
 */
export const FIELD_WRITERS: string = textFile('library/fields.sh', import.meta.url)

/** How a script starts that answers in fields, with `refuse REASON`. */
export const START: string = [FIELD_WRITERS, textFile('library/start.sh', import.meta.url)].join('\n')

/** The same with functions that change names and flush them, in the words of GNU, BSD and BusyBox tools. */
export const DURABLE: string = [START, textFile('library/flush.sh', import.meta.url)].join('\n')

/** The same with functions that change files as root (GNU tools of Debian). */
export const ROOT_FILES: string = [DURABLE, textFile('library/files.sh', import.meta.url)].join('\n')
