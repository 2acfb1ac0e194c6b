import { fail } from '@fleet/contract'
import { appsRoot, identityOf, type Machine, makeAppsRoot, readAppsRootAnswer } from '#/nodes/api.ts'

const CHECK_SECONDS = 30

/** The root of development checkouts, made as the managed user where it is missing (NODE-104, NODE-109). */
export async function ensureAppsRoot(machine: Machine): Promise<void> {
  const command = makeAppsRoot(appsRoot(machine.node), true)
  const { exitCode, stdout } = await machine.run(command, { timeoutSeconds: CHECK_SECONDS })
  const answer = exitCode === 0 ? readAppsRootAnswer(stdout) : undefined
  if (answer === 'accepted' || answer === 'created') return
  const details = { node: identityOf(machine.node), reason: answer ?? 'check_failed' }
  throw fail('node.settings_root_failed', { details })
}
