import { fail } from '@fleet/contract'
import { type Command, programOf, ROOT_FILES, script, textFile } from '@fleet/shell'
import { identityOf, type NodeSession } from '#/nodes/api.ts'

/** Where Fleet's own files of a Node stand, and the root of production homes. */
export interface RoleDirectories {
  readonly settings: string
  readonly homes: string
}

export const ROLE_DIRECTORIES: RoleDirectories = { settings: '/etc/fleet', homes: '/home' }

const CHECK_SECONDS = 60

/** Throws `node_role.directory_unsafe` and the codes of NodeSession. */
export async function ensureDirectories(session: NodeSession): Promise<void> {
  const { exitCode, stdout } = await session.asRoot(makeDirectories(ROLE_DIRECTORIES), {
    timeoutSeconds: CHECK_SECONDS,
  })
  if (exitCode === 0 && stdout.toString('utf8').trim() === 'ready') return
  throw fail('node_role.directory_unsafe', { details: { node: identityOf(session.node) } })
}

/**
 * Everybody may pass through Fleet's own directory and nobody but root may look into it. The root of homes is the
 * system's: it is only looked at. Prints `ready` at the end.
 */
export const makeDirectories = ({ settings, homes }: RoleDirectories): Command =>
  script(SOURCE, settings, homes)

const SOURCE = programOf(textFile('directories.sh', import.meta.url), ROOT_FILES)
