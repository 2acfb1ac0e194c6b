import { type ArtifactName, fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { type Step, stepList } from '@fleet/steps'
import type { Call } from '#/call.ts'
import { prepare } from '#/node-lifecycle/enrolment/commands/prepare.ts'
import type { LifecycleDeps } from '#/node-lifecycle/enrolment/provisioning.ts'
import { addressText, findOpenPath, type OpenPath, sessionOver } from '#/node-lifecycle/open-path.ts'
import { identityOf, type NodeSession, type NodeRecord } from '#/nodes/api.ts'

/** The base of a Node in use on its way back to what the records say. */
export interface Repair {
  readonly deps: LifecycleDeps
  readonly call: Call
  readonly node: NodeRecord
  /** Parts of the Node in the order in which they were checked, and whether something of them was not so. */
  readonly changed: Map<ArtifactName, boolean>
  /** Found by the first step. The tunnel from the step `tunnel` on. */
  path: OpenPath['path']
}

/**
 * What carries everything else on a Node: its packages and its user, tunnel, firewall and resolver. Each step checks first
 * and changes only what differs, so nothing that runs is interrupted, and Instances stay. Nothing is undone: the identical
 * request continues.
 */
export const nodeRepair = stepList<Repair>(
  'node-repair',
  [
    { name: 'access', run: findAccess },
    checked('base', async ({ deps, node }, session) => {
      const answer = await session.ask(prepare, {
        user: node.user,
        publicKey: deps.sshPublicKey,
        mayTakeOver: true,
      })
      return answer === 'prepared'
    }),
    checked('tunnel', repairTunnel),
    checked('firewall', ({ deps }, session) => deps.services.firewall.restore(session)),
    checked('resolver', ({ deps, node }, session) =>
      deps.services.tunnel.applyResolver(session, node.activeRoles.length > 0, { onForeign: 'replace' }),
    ),
  ],
  { forwardOnly: true },
)

function checked(
  name: ArtifactName,
  work: (repair: Repair, session: NodeSession) => Promise<boolean>,
): Step<Repair> {
  return {
    name,
    run: async (repair) =>
      void repair.changed.set(
        name,
        await work(repair, sessionOver(repair.deps, repair.call, repair.node, repair.path)),
      ),
  }
}

/** Throws `node.unreachable` with every address that was tried, and `node.ssh_host_key_changed`: nothing is sent to another machine. */
async function findAccess(repair: Repair): Promise<void> {
  const { deps, call, node } = repair
  const { path, address, fingerprint } = await findOpenPath(deps, call, node).catch((error: unknown) => {
    throw error instanceof CodedError ? unreachable(node, error) : error
  })
  if (fingerprint !== node.ssh_host_fingerprint)
    throw fail('node.ssh_host_key_changed', {
      message: `The SSH host key at ${addressText(address)} is not the pinned one of the Node, so nothing was sent.`,
      details: { node: identityOf(node), addresses: [addressText(address)] },
    })
  repair.path = path
}

function unreachable(node: NodeRecord, { details = {}, cause }: CodedError): CodedError {
  const { addresses } = details
  const tried = Array.isArray(addresses) ? ` at ${addresses.join(' or ')}` : ''
  const message = `The Node does not answer${tried}.`
  return fail('node.unreachable', { message, details: { ...details, node: identityOf(node) }, cause })
}

/**
 * A Node that was reached from outside is opened to the tunnel first, because a firewall that lost its rules would keep SSH
 * over the new tunnel out. The key that the hub knows stays, wherever it still is (decision 0152).
 */
async function repairTunnel(repair: Repair, session: NodeSession): Promise<boolean> {
  const { deps, node, path } = repair
  const { tunnel, firewall } = deps.services
  if (path === 'public') await firewall.openTunnel(session)
  const isHub = node.activeRoles.includes('vpn')
  const { changed } = await tunnel.join(session, { isHub, onForeign: 'replace' })
  repair.path = 'tunnel'
  return changed
}
