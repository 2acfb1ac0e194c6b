import type { Store } from '@fleet/store'
import { hubQuestion, type HubView } from '#/network/checks/hub-question.ts'
import { resolverQuestion, type ResolverView } from '#/network/checks/resolver-question.ts'
import { type Membership, readMembership, resolverOf } from '#/network/members.ts'
import { wantedPeers } from '#/network/publish.ts'
import { listActiveRoles } from '#/network/queries.ts'
import { findSettings } from '#/network/settings.ts'
import {
  asked,
  type Check,
  type CheckedResource,
  type FamilyChecks,
  type Finding,
  type NodeRecord,
  type Nodes,
} from '#/nodes/api.ts'

export interface NetworkCheckDeps {
  readonly store: Store
  readonly nodes: Nodes
}

/**
 * The private network's part of the family `role` (DRF-034, DRF-035, DRF-038): the hub runs with the peers of the records,
 * and the resolver of each Node with a role asks the fleet's DNS. Nothing for a gateway without a private network.
 */
export const makeNetworkChecks = (deps: NetworkCheckDeps): FamilyChecks => ({
  family: 'role',
  checksOf: async (_call, node) => {
    if (node.wireguard_ip === null || (await findSettings(deps.store)) === undefined) return []
    const roles = await listActiveRoles(deps.store.db, node.id)
    const membership = await readMembership(deps)
    return [...(await hubChecks(deps, node, roleOf(roles, 'vpn'))), ...memberChecks(membership, node, roles)]
  },
})

type Assignment = Awaited<ReturnType<typeof listActiveRoles>>[number]

/** The assignment of this role, or the oldest of the Node. */
function roleOf(roles: readonly Assignment[], wanted?: string): CheckedResource | undefined {
  const found = wanted === undefined ? roles[0] : roles.find(({ role }) => role === wanted)
  return found && { type: 'role', id: found.id, name: found.role }
}

async function hubChecks(
  { store }: NetworkCheckDeps,
  node: NodeRecord,
  resource: CheckedResource | undefined,
): Promise<readonly Check[]> {
  if (!resource) return []
  const wanted = new Map(
    (await wantedPeers(store, node.id)).map(({ publicKey, address }) => [publicKey, `${address}/32`]),
  )
  return [
    asked('role.vpn_inactive', resource, hubQuestion, (view) =>
      view.isUp ? bootFinding(view) : { expected: 'up', observed: 'down' },
    ),
    asked('role.vpn_projection_mismatch', resource, hubQuestion, (view) => comparePeers(wanted, view)),
  ]
}

const bootFinding = ({ boots }: Pick<HubView, 'boots'>): Finding | undefined =>
  boots ? undefined : { expected: 'starts at boot', observed: 'does not start at boot' }

/** A hub that is down is reported once, by its own check. */
export function comparePeers(
  wanted: ReadonlyMap<string, string>,
  { isUp, peers }: HubView,
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

function memberChecks(
  membership: Membership,
  node: NodeRecord,
  roles: readonly Assignment[],
): readonly Check[] {
  const [gateway, first, { hub }] = [roleOf(roles, 'gateway'), roleOf(roles), membership]
  if (!first || !hub || hub.wireguard_ip === null) return []
  const question = resolverQuestion(resolverOf(membership, hub, node, true))
  return [
    // That it is up is why the Node answers.
    ...(roleOf(roles, 'vpn') ? [] : [asked('role.vpn_inactive', first, question, bootFinding)]),
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
