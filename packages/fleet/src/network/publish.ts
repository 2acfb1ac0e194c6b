import type { Database, Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { fleetLock, holding } from '#/locks/api.ts'
import { parseRange } from '#/network/addresses/range.ts'
import type { OnForeign } from '#/network/commands/resolver-words.ts'
import { settleHub } from '#/network/commands/settle.ts'
import { type HubPeer, hubConfiguration } from '#/network/configuration.ts'
import { addressOf, type Membership, readMembership, requireHub } from '#/network/members.ts'
import { addFact, dropFact, dropFacts, findFacts, findNodeIds, listMembers } from '#/network/queries.ts'
import type { ResolverPlan } from '#/network/resolver-plan.ts'
import type { NodeRecord, Nodes, NodeSession } from '#/nodes/api.ts'

export interface PublishDeps {
  readonly store: Store
  readonly nodes: Nodes
  /** Root folder of a machine; empty but in tests. */
  readonly root: string
}

const LEFT = 'left.'

/**
 * Writes the hub's peers as the records want them; only the hub is asked, so no dead Node holds it up. False when it had them
 * already. The hub speaks at once to peers that it cannot find, but to the one whose key `speaksFirst` is.
 */
export const publishPeers = (deps: PublishDeps, call: Call, speaksFirst?: string): Promise<boolean> =>
  holding(deps.store, call, fleetLock('network'), async () => {
    const membership = await readMembership(deps)
    const hub = requireHub(membership)
    return installHub(deps, membership, deps.nodes.sessions.overTunnel(call, hub), { speaksFirst })
  })

interface HubOptions {
  readonly resolver?: ResolverPlan
  readonly speaksFirst?: string | undefined
  readonly onForeign?: OnForeign
}

/** The hub's configuration on its machine, whichever way leads there. */
export async function installHub(
  { store, root }: PublishDeps,
  { settings }: Membership,
  session: NodeSession,
  { resolver, speaksFirst, onForeign }: HubOptions,
): Promise<boolean> {
  const { node } = session
  const address = addressOf(node)
  const prefix = parseRange(settings.range)?.prefix ?? 32
  const configuration = await hubTextOf(store, settings, node)
  return session.ask(settleHub, {
    root,
    kind: 'hub',
    configuration,
    address: `${address}/${prefix}`,
    port: settings.hubPort,
    handshakeSeconds: 0,
    speaksFirst,
    ...(resolver ? { resolver } : {}),
    ...(onForeign ? { onForeignResolver: onForeign } : {}),
  })
}

/** The desired configuration of the hub. */
export async function hubTextOf(
  store: Store,
  { range, hubPort }: Membership['settings'],
  hub: NodeRecord,
): Promise<string> {
  const prefix = parseRange(range)?.prefix ?? 32
  const peers = await wantedPeers(store, hub.id)
  return hubConfiguration({ address: addressOf(hub), prefix, port: hubPort, peers })
}

export const findLeaving = async ({ db }: Pick<Store, 'db'>): Promise<ReadonlySet<number>> =>
  new Set([...(await findFacts(db, LEFT)).keys()].map(Number))

/** Every Node with an address and a key, whatever its status, but the hub and those that are leaving. */
export async function wantedPeers({ db }: Store, hubId: number): Promise<readonly HubPeer[]> {
  const left = await findLeaving({ db })
  return (await listMembers(db)).flatMap(
    ({ id, wireguard_ip: address, wireguard_public_key: publicKey, public_ssh_host: publicHost }) =>
      address === null || publicKey === null || id === hubId || left.has(id)
        ? []
        : [{ nodeId: id, publicKey, address, publicHost }],
  )
}

/** From now on no publication admits the Node, also not one that another request makes meanwhile. */
export async function noteLeaving({ db }: Store, nodeId: number): Promise<void> {
  const there = new Set((await findNodeIds(db)).map(String))
  const gone = [...(await findFacts(db, LEFT)).keys()].filter((id) => !there.has(id))
  await dropFacts(
    db,
    gone.map((id) => `${LEFT}${id}`),
  )
  await addFact(db, `${LEFT}${nodeId}`, 'yes')
}

/** A Node that joins at the same moment waits for the transaction, and is published no more once its record is gone. */
export const endLeave = (tx: Database, nodeId: number): Promise<boolean> => dropFact(tx, `${LEFT}${nodeId}`)

export const noteBack = ({ db }: Store, nodeId: number): Promise<void> => dropFacts(db, [`${LEFT}${nodeId}`])
