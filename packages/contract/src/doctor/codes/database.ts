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
  'database_connection.missing': {
    kind: 'drift',
    summary: 'An Instance uses a database connection that does not exist any more.',
    repair:
      'Register the connection again with the same slug (`fleet database:create`) and attach it, attach another one with the same prefix, or remove its keys (`fleet instance:database:remove INSTANCE SLUG`).',
  },
  'database_connection.env_mismatch': {
    kind: 'drift',
    summary:
      'The stored configuration of an Instance differs from the database connection that it uses: keys are missing, left over or have other values.',
    repair: 'Attach the connection again with the same prefix, then write the file with `fleet env:sync`.',
    command: 'instance:database:add {id} {name}',
  },
  'database_connection.inspection_failed': {
    kind: 'unverifiable',
    summary:
      'The stored password of the database connection, or the configuration of an Instance that uses it, cannot be read.',
    repair: 'Set the password again; store the values of the Instance again.',
    command: 'database:update {name} --password',
  },
} as const satisfies Record<`database_connection.${string}`, DoctorCodeSpec>
