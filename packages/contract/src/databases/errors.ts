import type { ErrorSpec } from '@fleet/kernel'

export const databaseErrors = {
  'database.not_found': {
    status: 404,
    message: 'No database connection has this slug. `fleet database:list` shows the registered ones.',
    retry: 'change',
  },
  'database.slug_conflict': {
    status: 409,
    message: 'Another database connection already uses this slug.',
    retry: 'change',
  },
  'database.connection_attached': {
    status: 409,
    message:
      'Instances or Processes use the database connection. Detach it from each Instance (`fleet instance:database:remove`) and destroy each Process (`fleet process:destroy`) first.',
    retry: 'change',
  },
  'database.processes_behind': {
    status: 502,
    message:
      'The connection is stored, but Processes that depend on it do not have its values yet; `details.processes` names them. Run `fleet database:update SLUG` again: it repairs what is left.',
    retry: 'repeat',
  },
  'database.password_unreadable': {
    status: 409,
    message:
      'The stored password of the connection cannot be read. Set it again: `fleet database:update SLUG --password`.',
    retry: 'change',
  },
  'database.attachment_missing': {
    status: 404,
    message: 'The database connection is not attached to this Instance with this prefix.',
    retry: 'change',
  },
  'database.server_slug_conflict': {
    status: 409,
    message: 'Another database server has this slug: one on another Node, or with another tag or port.',
    retry: 'change',
  },
  'database.server_port_in_use': {
    status: 409,
    message: 'Another Process of the Node publishes this port.',
    retry: 'change',
  },
  'database.server_start_failed': {
    status: 502,
    message:
      'The root login of the database server did not answer in 120 seconds. Read why (`fleet process:logs PROCESS`), then run the same command again: it continues where it stopped.',
    retry: 'repeat',
  },
  'database.server_in_use': {
    status: 409,
    message:
      'The database server has databases. Remove them first; `fleet database:server:show SLUG` lists them.',
    retry: 'change',
  },
  'database.server_inactive': {
    status: 409,
    message:
      'The database server is not active yet. Finish its creation with the same `fleet database:server:create`.',
    retry: 'wait',
  },
  'database.node_unreachable': {
    status: 502,
    message:
      'The Node of the database server does not answer. Try again when it does, or run the same command with `--offline`: what is on the Node is then removed when it is back.',
    retry: 'wait',
  },
  'database.server_busy': {
    status: 409,
    message: 'Another operation is changing this database server.',
    retry: 'wait',
  },
  'database.operation_busy': {
    status: 409,
    message:
      'Another operation is creating or removing this database. If it was interrupted, run its command again.',
    retry: 'wait',
  },
  'database.name_conflict': {
    status: 409,
    message:
      'The server already has a database or user with this name, or one whose test databases would have it.',
    retry: 'change',
  },
  'database.server_command_failed': {
    status: 502,
    message: 'The database server did not do what it was asked to.',
    retry: 'repeat',
  },
  'database.server_missing': {
    status: 404,
    message: 'No database server has this slug.',
    retry: 'change',
  },
  'database.server_required': {
    status: 422,
    message:
      'The database is not on a server of the fleet, so the fleet cannot create users in it. Create the user on the database server itself.',
    retry: 'none',
  },
  'database.driver_unsupported': {
    status: 422,
    message: 'Connections with the driver `redis` cannot be inspected.',
    retry: 'none',
  },
  'database.sqlite_node_required': {
    status: 422,
    message:
      'The connection has no Node, so nobody knows on which machine the file is. Set it with `fleet database:update SLUG --node NODE`.',
    retry: 'change',
  },
  'database.sql_multiple_statements': {
    status: 422,
    message: 'The text has more than one SQL statement. Send them one by one.',
    retry: 'change',
  },
  'database.write_required': {
    status: 422,
    message:
      'The statement is not surely a read, so it was not run. If it should change the database, send it with `--write`.',
    retry: 'change',
  },
  'database.table_missing': {
    status: 404,
    message: 'The database has no table of this name. `fleet database:tables SLUG` shows its tables.',
    retry: 'change',
  },
  'database.query_failed': {
    status: 502,
    message: 'The database, or the way to it, failed. `details.reason` has the cause.',
    retry: 'none',
  },
} as const satisfies Record<string, ErrorSpec>
