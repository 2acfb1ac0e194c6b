import type { DoctorCodeSpec } from './types.ts'

/** Codes of the family `database_connection` (DBD-001 to DBD-005). */
export const databaseCodes = {
  'database_connection.unhealthy': {
    kind: 'drift',
    summary: 'The database connection lacks a field that its driver needs, or names a Node that was removed.',
    repair:
      'Set what is missing with `fleet database:update`, or name another Node. The command removes the name of a Node that is gone.',
    commandOf: { 'a removed Node': 'database:update {name} --no-node' },
  },
  'database_connection.inspection_failed': {
    kind: 'unverifiable',
    summary: 'The stored password of the database connection cannot be read.',
    repair: 'Set the password again.',
    command: 'database:update {name} --password',
  },
} as const satisfies Record<`database_connection.${string}`, DoctorCodeSpec>
