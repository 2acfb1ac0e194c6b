import { fail } from '@fleet/contract'
import { appsRoot, identityOf, type NodeSession, makeAppsRoot, readAppsRootAnswer } from '#/nodes/api.ts'

const CHECK_SECONDS = 30

/** The root of development checkouts, made as the managed user where it is missing (NODE-104, NODE-109). */
export async function ensureAppsRoot(session: NodeSession): Promise<void> {
  const command = makeAppsRoot(appsRoot(session.node), true)
  const { exitCode, stdout } = await session.run(command, { timeoutSeconds: CHECK_SECONDS })
  const answer = exitCode === 0 ? readAppsRootAnswer(stdout) : undefined
  if (answer === 'accepted' || answer === 'created') return
  const details = { node: identityOf(session.node), reason: answer ?? 'check_failed' }
  throw fail('node.settings_root_failed', { details })
}
