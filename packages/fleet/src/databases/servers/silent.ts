import { type ErrorCode, fail, SERVER_START_SECONDS } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { codeOf } from '#/error-details.ts'
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

/** Why nobody can log in, said of this server: where its log is, and what an old volume needs. */
const NAMED: Readonly<Record<string, (server: ServerRecord) => string>> = {
  server_unreachable: ({ slug, process_id }) =>
    `The database server ${slug} does not answer, or refuses its root user. \`fleet process:logs ${process_id}\` shows its log.`,
  'no-login': ({ slug, process_id }) =>
    `The root login of the database server ${slug} did not answer in ${SERVER_START_SECONDS} seconds. Read why (\`fleet process:logs ${process_id}\`), then run the same command again: it continues where it stopped. If its volume is that of an earlier server, with another root password: \`fleet database:server:destroy ${slug}\`, then \`docker volume rm ${volumeOf(slug)}\` on the Node, which deletes the old data.`,
}

/** What the scripts of a server answer; an error of one that nobody can log in to names the server. */
export async function ofServer<T>(server: ServerRecord, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const said = error instanceof CodedError ? NAMED[String(error.details?.['reason'])] : undefined
    if (!(error instanceof CodedError) || said === undefined) throw error
    const { slug, process_id } = server
    throw fail(codeOf(error), {
      message: said(server),
      details: { ...error.details, server: slug, process_id },
    })
  }
}
