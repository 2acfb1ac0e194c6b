import { fail } from '@fleet/contract'
import { MalformedOutput } from '@fleet/shell'
import type { CodedError } from '@fleet/kernel'
import type { NodeSession } from '#/nodes/api.ts'
import { observe, type Observed, readObserved } from '../commands/observe.ts'
import { prepare, type PrepareAnswer, readPrepareAnswer } from '../commands/prepare.ts'
import { firstSession, learn, type Provisioning } from '../provisioning.ts'

const OBSERVE_SECONDS = 30
const PREPARE_SECONDS = 480
const LOCK_SECONDS = 120

/** Why a machine could not be prepared, as `details.reason` says it. */
type Reason = Exclude<PrepareAnswer, 'prepared' | 'unchanged'> | 'no-root' | 'broken'

/**
 * Step 2, by the first login: packages, managed user, key, sudo rule; then the recovery rule for public SSH and the
 * firewall, in this order (NODE-051). A Node with an active role keeps its public SSH closed.
 */
export async function bootstrap(provisioning: Provisioning): Promise<void> {
  const { parts, node, bootstrapUser } = provisioning
  const session = firstSession(provisioning, bootstrapUser)
  const observed = await observeOn(session)
  if (!observed.isRoot) throw notPrepared('no-root')
  // Behind a forwarded port the machine's own sshd listens on another one.
  const sshPort = observed.sshPort ?? node.ssh_port
  if (sshPort !== node.ssh_port) await learn(provisioning, { ssh_port: sshPort })
  await prepareMachine(session, { user: node.user, publicKey: parts.sshPublicKey })
  if (node.activeRoles.length === 0)
    await parts.services.firewall.bootstrap(firstSession(provisioning, bootstrapUser), sshPort)
}

/** `user` is the managed one; the machine is logged in to as somebody else. */
async function prepareMachine(
  session: NodeSession,
  given: { readonly user: string; readonly publicKey: string },
): Promise<void> {
  const command = prepare({ ...given, lockSeconds: LOCK_SECONDS })
  const { exitCode, stdout } = await session.asRoot(command, {
    timeoutSeconds: PREPARE_SECONDS,
    isLong: true,
  })
  const answer = exitCode === 0 ? readPrepareAnswer(stdout) : undefined
  if (answer === 'prepared' || answer === 'unchanged') return
  throw notPrepared(answer ?? 'broken')
}

/** Throws `node.command_failed` for a machine that answers something else. */
export async function observeOn(session: NodeSession): Promise<Observed> {
  const { exitCode, stdout } = await session.run(observe(), { timeoutSeconds: OBSERVE_SECONDS })
  if (exitCode !== 0) throw fail('node.command_failed')
  try {
    return readObserved(stdout)
  } catch (error) {
    throw error instanceof MalformedOutput ? fail('node.command_failed', { cause: error }) : error
  }
}

const MESSAGES: Readonly<Partial<Record<Reason, string>>> = {
  'no-root': 'The user of the first login is not root and may not become root by sudo without a password.',
  'unsupported-system': 'The machine has no apt and dpkg: Fleet manages Debian and its relatives.',
}

const notPrepared = (reason: Reason): CodedError => {
  const message = MESSAGES[reason]
  return fail('node.bootstrap_failed', {
    ...(message === undefined ? {} : { message }),
    details: { reason, ...(reason === 'packages-locked' ? { error_code: 'node.tool_manager_locked' } : {}) },
  })
}
