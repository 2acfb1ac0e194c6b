import type { ErrorSpec } from '@fleet/kernel'

/** Of a database that goes to another Node with a transfer or a clone (INS-100). */
export const sqliteErrors = {
  'instance.clone_sqlite_unconfirmed': {
    status: 409,
    message:
      'Nothing confirms that the file is a SQLite database of the Instance alone: it is not in its checkout or home, and its stored environment and its databases do not name it.',
    retry: 'change',
  },
  'sqlite.seed_preflight_failed': {
    status: 409,
    message: 'The SQLite database cannot be read on its Node.',
    retry: 'change',
  },
  'sqlite.seed_transfer_failed': {
    status: 502,
    message: 'The SQLite database did not arrive whole. Repeat the request.',
    retry: 'repeat',
  },
  'sqlite.seed_failed': {
    status: 502,
    message: 'The SQLite database could not be put in its place. Repeat the request.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>

export const seedErrors = [
  'instance.clone_sqlite_unconfirmed',
  'sqlite.seed_preflight_failed',
  'sqlite.seed_transfer_failed',
  'sqlite.seed_failed',
] as const satisfies readonly (keyof typeof sqliteErrors)[]
