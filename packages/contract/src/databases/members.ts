import * as z from 'zod'
import { nullableId } from '../params.ts'
import {
  databaseHost,
  databaseName,
  databasePassword,
  databasePath,
  databasePort,
  databaseTlsAuthority,
  databaseTlsModes,
  databaseUserName,
} from './records.ts'

const password = databasePassword.meta({
  description: 'Password of the login. Stored encrypted, never returned.',
  writeOnly: true,
})

/** The fields of a registration as a creation takes them; which of them a driver needs is a rule of its own. */
export const registrationMembers = {
  node_id: nullableId
    .optional()
    .describe('Node that reaches the database; for `sqlite` the one with the file. Default: none.'),
  host: databaseHost.optional().describe('Host name or IP address, without user or port.'),
  port: databasePort.optional().describe('Default: 3306 for `mysql`, 5432 for `pgsql`, 6379 for `redis`.'),
  database: databaseName
    .optional()
    .describe('Name of the database; for `redis` its number, one to three digits.'),
  path: databasePath.optional().describe('Absolute path of the file, for `sqlite`.'),
  username: databaseUserName.optional().describe('Login name.'),
  password: password.optional(),
  tls: z
    .enum(databaseTlsModes)
    .optional()
    .describe(
      'TLS to `mysql` and `pgsql`: `prefer` uses it where the server offers it, `require` refuses to go on without, `verify-ca` also verifies who signed the certificate, `verify-full` also the host in it. Default: `verify-full` with `tls_ca`, else `prefer`.',
    ),
  tls_ca: databaseTlsAuthority
    .optional()
    .describe(
      'Certificates in PEM of which one has to have signed that of the server. Default: the public authorities.',
    ),
}

/** The same for a change: null clears what the driver does not need. */
export const changeMembers = {
  ...registrationMembers,
  port: databasePort.nullable().optional().describe('Null restores the default of the driver.'),
  database: databaseName
    .nullable()
    .optional()
    .describe('Name of the database; for `redis` its number, one to three digits. Null clears it.'),
  username: databaseUserName.nullable().optional().describe('Login name. Null clears it.'),
  password: databasePassword.nullable().optional().meta({
    description: 'Password of the login. Stored encrypted, never returned. Null clears it.',
    writeOnly: true,
  }),
  tls: registrationMembers.tls.unwrap().nullable().optional().describe('Null restores the default.'),
  tls_ca: databaseTlsAuthority
    .nullable()
    .optional()
    .describe('Certificates in PEM of which one has to have signed that of the server. Null clears them.'),
}
