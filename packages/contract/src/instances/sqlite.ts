import * as z from 'zod'

const MAX_CHARACTERS = 4096

/** A SQLite database on the Node that an Instance comes from (INS-089, INS-102). */
export const sqliteSourcePath = z
  .string()
  .max(MAX_CHARACTERS)
  .regex(
    /^(?:\/(?!\.{1,2}(?:\/|$))[^/\p{C}]+)+$/u,
    'must be an absolute path of a file, without `.`, `..` and empty parts',
  )
