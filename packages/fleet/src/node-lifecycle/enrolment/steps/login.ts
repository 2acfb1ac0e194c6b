import { fail } from '@fleet/contract'
import { firstSession, learn, type Provisioning } from '../provisioning.ts'
import { observe } from '../commands/observe.ts'

/** What step 3 saw, for the two parts of it. */
export interface Seen {
  system: string
  architecture: string
}

/** Step 3: the managed user logs in and may become root; its home is kept (NODE-052). */
export async function logIn(provisioning: Provisioning, seen: Seen): Promise<void> {
  const { node } = provisioning
  const observed = await firstSession(provisioning, node.user).ask(observe, undefined)
  if (!observed.isRoot)
    throw fail('node.fleet_ssh_failed', {
      message:
        `The managed user ${node.user} logs in, and may not use sudo without a password, although /etc/sudoers.d has a rule for it. ` +
        `A later rule or \`Defaults requiretty\` may be stronger, or /etc/sudoers may not include that folder: \`sudo -l -U ${node.user}\` on the machine shows what applies.`,
      details: { reason: 'no-root', user: node.user },
    })
  if (!observed.home.startsWith('/'))
    throw fail('node.fleet_ssh_failed', {
      message: `The managed user ${node.user} has no home: \`getent passwd ${node.user}\` on the machine shows it.`,
      details: { reason: 'no-home', user: node.user },
    })
  seen.system = observed.system
  seen.architecture = observed.architecture
  if (observed.home !== node.user_home) await learn(provisioning, { user_home: observed.home })
}

const LONGEST_ARCHITECTURE = 64

/** Platform and architecture are those of the request and of the record; a first value is kept (NODE-052, NODE-072, NODE-080). */
export async function judgeMachine(provisioning: Provisioning, seen: Seen): Promise<void> {
  const { input, node } = provisioning
  if (seen.system !== 'Linux') throw fail('node.platform_mismatch', { details: { expected: 'linux' } })
  const observed = seen.architecture
  if (!/^\w[\w.-]*$/.test(observed) || observed.length > LONGEST_ARCHITECTURE)
    throw fail('node.architecture_unavailable')
  if (node.architecture === null) await learn(provisioning, { architecture: observed })
  const expected = input.architecture ?? node.architecture ?? observed
  if (expected !== observed || (node.architecture ?? observed) !== observed)
    throw fail('node.architecture_mismatch', { details: { expected, observed } })
}
