import { type ErrorCode, fail, SERVER_START_SECONDS } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { volumeOf } from '#/databases/servers/names.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'

/** Why the scripts of a server fail when nobody can log in to it, although its Node answers. */
const SILENT: Readonly<Record<string, ErrorCode>> = {
  server_unreachable: 'database.server_command_failed',
  'no-docker': 'node.capability_missing',
}

/** Whether an error means that the server does not answer, or refuses its root user. Its Node does answer. */
export const isServerSilent = (error: unknown): error is CodedError =>
  error instanceof CodedError && SILENT[String(error.details?.['reason'])] === error.code

/** The same error, which names the server and where its log is; any other as it is. */
export function namingServer(error: unknown, { slug, process_id }: ServerRecord): unknown {
  if (!isServerSilent(error) || error.code !== SILENT['server_unreachable']) return error
  return fail('database.server_command_failed', {
    message: `The database server ${slug} does not answer, or refuses its root user. \`fleet process:logs ${process_id}\` shows its log.`,
    details: { ...error.details, server: slug, process_id },
  })
}

/** The same error of a server that nobody could log in to in time, which says where its log is and what an old volume needs. */
export function namingProcess(error: unknown, { slug, process_id }: ServerRecord): unknown {
  if (!(error instanceof CodedError) || error.details?.['reason'] !== 'no-login') return error
  return fail('database.server_start_failed', {
    message: `The root login of the database server ${slug} did not answer in ${SERVER_START_SECONDS} seconds. Read why (\`fleet process:logs ${process_id}\`), then run the same command again: it continues where it stopped. If its volume is that of an earlier server, with another root password: \`fleet database:server:destroy ${slug}\`, then \`docker volume rm ${volumeOf(slug)}\` on the Node, which deletes the old data.`,
    details: { ...error.details, server: slug, process_id },
  })
}
