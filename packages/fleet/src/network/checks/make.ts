import { CodedError } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { resolverQuestion, type ResolverView } from '#/network/checks/resolver-question.ts'
import {
  type TunnelFiles,
  tunnelFiles,
  tunnelQuestion,
  type TunnelView,
} from '#/network/checks/tunnel-question.ts'
import { type Membership, peerTextOf, readMembership, resolverOf } from '#/network/members.ts'
import { hubTextOf, wantedPeers } from '#/network/publish.ts'
import { listActiveRoles } from '#/network/queries.ts'
import { findSettings } from '#/network/settings.ts'
import {
  asked,
  type Check,
  type CheckedResource,
  type FamilyChecks,
  type Finding,
  type NodeRecord,
  nodeResource,
  type Nodes,
  type Question,
} from '#/nodes/api.ts'

export interface NetworkCheckDeps {
  readonly store: Store
  readonly nodes: Nodes
  /** Root folder of a machine; empty but in tests. */
  readonly root: string
}

/**
 * The private network's part of the family `role` (DRF-034, DRF-035, DRF-038): the hub runs with the peers of the records,
 * each tunnel starts with what the records make of it, and the resolver of each Node with a role asks the fleet's DNS. Nothing
 * for a gateway without a private network.
 */
export const makeNetworkChecks = (deps: NetworkCheckDeps): FamilyChecks => ({
  family: 'role',
  checksOf: async (_call, node) => {
    if (node.wireguard_ip === null || (await findSettings(deps.store)) === undefined) return []
    const roles = await listActiveRoles(deps.store.db, node.id)
    const membership = await readMembership(deps)
    const own: Own = { deps, membership, node, roles, question: tunnelQuestion(deps.root) }
    const hub = roleOf(roles, 'vpn')
    return [...(await (hub ? hubChecks(own, hub) : peerChecks(own))), ...resolverChecks(own)]
  },
})

type Assignment = Awaited<ReturnType<typeof listActiveRoles>>[number]

/** What the checks of one Node are made of. */
interface Own {
  readonly deps: NetworkCheckDeps
  readonly membership: Membership
  readonly node: NodeRecord
  readonly roles: readonly Assignment[]
  /** One for all checks of the Node: it is asked once. */
  readonly question: Question<TunnelView>
}

/** The assignment of this role, or the oldest of the Node. */
function roleOf(roles: readonly Assignment[], wanted?: string): CheckedResource | undefined {
  const found = wanted === undefined ? roles[0] : roles.find(({ role }) => role === wanted)
  return found && { type: 'role', id: found.id, name: found.role }
}

async function hubChecks(
  { deps: { store }, membership: { settings }, node, question }: Own,
  resource: CheckedResource,
): Promise<readonly Check[]> {
  const wanted = new Map(
    (await wantedPeers(store, node.id)).map(({ publicKey, address }) => [publicKey, `${address}/32`]),
  )
  const key = node.wireguard_public_key
  const files = key === null ? undefined : tunnelFiles(key, await hubTextOf(store, settings, node))
  return [
    asked('role.vpn_inactive', resource, question, (view) =>
      view.isUp ? bootFinding(view) : { expected: 'up', observed: 'down' },
    ),
    asked(
      'role.vpn_projection_mismatch',
      resource,
      question,
      (view) => comparePeers(wanted, view) ?? (view.isUp && files ? compareStart(files, view) : undefined),
    ),
  ]
}

/** That it is up is why the Node answers. One without roles has no assignment to name. */
function peerChecks(own: Own): readonly Check[] {
  const { membership, node, roles, question } = own
  const first = roleOf(roles)
  const files = peerFiles(own)
  return [
    ...(first && typeof membership.hub?.wireguard_ip === 'string'
      ? [asked('role.vpn_inactive', first, question, bootFinding)]
      : []),
    ...(files
      ? [
          asked('role.vpn_projection_mismatch', first ?? nodeResource(node), question, (view) =>
            compareStart(files, view),
          ),
        ]
      : []),
  ]
}

/** Undefined for a Node whose enrolment stopped, which may have come as far as a part of them, and where the records make none. */
function peerFiles({ membership, node, roles }: Own): TunnelFiles | undefined {
  const [{ hub }, { wireguard_public_key: key, status }] = [membership, node]
  if (!hub || key === null || status !== 'active') return undefined
  try {
    return tunnelFiles(key, peerTextOf(membership, node, resolverOf(membership, hub, node, roles.length > 0)))
  } catch (error) {
    if (error instanceof CodedError) return undefined
    throw error
  }
}

const bootFinding = ({ boots }: Pick<TunnelView, 'boots'>): Finding | undefined =>
  boots ? undefined : { expected: 'starts at boot', observed: 'does not start at boot' }

/** A hub that is down is reported once, by its own check. */
export function comparePeers(
  wanted: ReadonlyMap<string, string>,
  { isUp, peers }: Pick<TunnelView, 'isUp' | 'peers'>,
): Finding | undefined {
  if (!isUp) return undefined
  const missing = [...wanted.keys()].filter((key) => !peers.has(key)).length
  const unknown = [...peers.keys()].filter((key) => !wanted.has(key)).length
  const different = [...wanted].filter(
    ([key, address]) => peers.has(key) && peers.get(key) !== address,
  ).length
  if (missing + unknown + different === 0) return undefined
  return {
    expected: `${wanted.size} peers`,
    observed: `${missing} missing, ${unknown} unknown, ${different} with other addresses`,
  }
}

/** What the next start of the tunnel makes of it. */
export function compareStart(
  wanted: TunnelFiles,
  { files, isUnfinished }: Pick<TunnelView, 'files' | 'isUnfinished'>,
): Finding | undefined {
  const isOwn =
    files.publicKey === wanted.publicKey &&
    files.configuration === wanted.configuration &&
    files.hook === wanted.hook
  if (!isOwn) return { expected: 'the recorded configuration', observed: 'other configuration after a start' }
  return isUnfinished ? { expected: 'no change in progress', observed: 'unfinished change' } : undefined
}

function resolverChecks({ deps: { root }, membership, node, roles }: Own): readonly Check[] {
  const [gateway, first, { hub }] = [roleOf(roles, 'gateway'), roleOf(roles), membership]
  if (!first || !hub || hub.wireguard_ip === null) return []
  const question = resolverQuestion(resolverOf(membership, hub, node, true), root)
  return [
    asked('role.dns_snippet_conflict', first, question, ({ files }) =>
      files === 'own' ? undefined : { expected: 'own', observed: files },
    ),
    // Files that are not Fleet's own explain whatever the link does.
    asked(
      gateway ? 'role.private_dns_route_mismatch' : 'role.dns_snippet_conflict',
      gateway ?? first,
      question,
      (view) => (view.files === 'own' ? compareResolver(view) : undefined),
    ),
  ]
}

/** Problems with a resolver whose files are Fleet's own. */
export function compareResolver({ points, isStub, isSilent }: ResolverView): Finding | undefined {
  if (!points) return { expected: 'asks the private DNS', observed: 'asks another server' }
  if (!isStub) return { expected: 'programs ask systemd-resolved', observed: 'programs ask another server' }
  if (!isSilent) return { expected: 'no LLMNR or mDNS', observed: 'LLMNR or mDNS on the tunnel' }
  return undefined
}
