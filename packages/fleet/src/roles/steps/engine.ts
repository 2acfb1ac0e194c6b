import { fail } from '@fleet/contract'
import { run } from '@fleet/shell'
import { identityOf, type NodeSession, noteExit } from '#/nodes/api.ts'

const ANSWER_SECONDS = 60

/** The container engine answers. Throws `node_role.engine_unavailable` and the codes of NodeSession. */
export async function requireEngine(session: NodeSession): Promise<void> {
  const ask = run('timeout', 45, 'docker', 'version', '--format', '{{.Server.Version}}')
  const result = await session.asRoot(ask, { timeoutSeconds: ANSWER_SECONDS })
  if (result.exitCode === 0 && /^\d/.test(result.stdout.toString('utf8'))) return
  noteExit(session, result)
  throw fail('node_role.engine_unavailable', { details: { node: identityOf(session.node) } })
}
