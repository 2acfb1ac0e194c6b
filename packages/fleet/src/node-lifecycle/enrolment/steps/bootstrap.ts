import { fail } from '@fleet/contract'
import { observe } from '../commands/observe.ts'
import { prepare } from '../commands/prepare.ts'
import { firstSession, learn, type Provisioning, tell } from '../provisioning.ts'

/**
 * Step 2, by the first login: packages, managed user, key, sudo rule; then the recovery rule for public SSH and the
 * firewall, in this order (NODE-051). A Node with an active role keeps its public SSH closed.
 */
export async function bootstrap(provisioning: Provisioning): Promise<void> {
  const { deps, node, bootstrapUser, input } = provisioning
  const session = firstSession(provisioning, bootstrapUser)
  const observed = await session.ask(observe, undefined)
  if (!observed.isRoot)
    throw fail('node.bootstrap_failed', {
      message:
        `The user ${bootstrapUser} of the first login is neither root nor allowed to use sudo without a password. ` +
        `On the machine, as root: \`echo '${bootstrapUser} ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/${bootstrapUser}\``,
      details: { reason: 'no-root', user: bootstrapUser },
    })
  // Behind a forwarded port the machine's own sshd listens on another one.
  const sshPort = observed.sshPort ?? node.ssh_port
  if (sshPort !== node.ssh_port) await learn(provisioning, { ssh_port: sshPort })
  // Who named the user, or logs in as it to become root, knows of it; a Node that was one already has it.
  const mayTakeOver =
    input.fleet_user !== undefined || bootstrapUser === node.user || node.provisioned_at !== null
  await session.ask(prepare, { user: node.user, publicKey: deps.sshPublicKey, mayTakeOver })
  if (node.activeRoles.length > 0) return
  const said = await deps.services.firewall.bootstrap(firstSession(provisioning, bootstrapUser), sshPort)
  if (said.length > 0) tell(provisioning, said)
}
