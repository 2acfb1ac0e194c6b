import { filePath } from '../params.ts'

const MAX_CHARACTERS = 4096

/** A SQLite database on the Node that an Instance comes from (INS-089, INS-102). */
export const sqliteSourcePath = filePath(MAX_CHARACTERS)
