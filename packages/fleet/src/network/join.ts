import { type ErrorCode, fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { run } from '@fleet/shell'
import { ownKey } from '#/network/commands/key.ts'
import { fleetLock, holding } from '#/locks/api.ts'
import type { OnForeign } from '#/network/commands/resolver-words.ts'
import { settlePeer } from '#/network/commands/settle.ts'
import { PEER_PORT } from '#/network/configuration.ts'
import { addressOf, type Membership, peerTextOf, readMembership, resolverOf } from '#/network/members.ts'
import { installHub, noteBack, publishPeers, type PublishDeps } from '#/network/publish.ts'
import { listOtherKeys, putPublicKey } from '#/network/queries.ts'
import { identityOf, type NodeRecord, type NodeSession } from '#/nodes/api.ts'
import type { Tunnel } from '#/network/tunnel.ts'

/** Three attempts of WireGuard, which come five seconds apart. */
const HANDSHAKE_SECONDS = 20
const SSH_SECONDS = 20

/**
 * Makes the machine a member: its key, its peer on the hub, its tunnel, and SSH over it with the pinned key (NODE-053).
 * Each part first checks whether it is done, so the identical request resumes where an earlier one ended.
 */
export const makeJoin =
  (deps: PublishDeps): Tunnel['join'] =>
  async (session, { isHub, onForeign = 'refuse' }) => {
    const { call, node } = session
    const membership = await readMembership(deps)
    addressOf(node)
    if (!isHub) requireJoinable(membership, node)
    const known = node.wireguard_public_key
    const publicKey = await keyOf(deps, session, isHub)
    await noteBack(deps.store, node.id)
    const member = { ...node, wireguard_public_key: publicKey }
    const settled = isHub
      ? await becomeHub(deps, session, onForeign)
      : await becomePeer(deps, membership, { session, member, onForeign })
    // An existing tunnel has a session that the hub may have dropped, so in a second attempt the hub sends first.
    await requireSsh(deps.nodes.sessions.overTunnel(call, member), async () => {
      if (!isHub) await publishPeers(deps, call)
    })
    return { publicKey, changed: settled || publicKey !== known }
  }

/**
 * The key of the machine, recorded. One that another Node has is never recorded, since the hub would give that Node's tunnel
 * to this machine. Throws `vpn.peer_key_failed`.
 */
async function keyOf(deps: PublishDeps, session: NodeSession, isHub: boolean): Promise<string> {
  const { call, node } = session
  const others = (await otherKeys(deps, node)).map(({ publicKey }) => publicKey)
  const known = node.wireguard_public_key
  const isKnownByOthers = isHub && known !== null && others.length > 0
  const publicKey = await session.ask(ownKey, { root: deps.root, known, others, isKnownByOthers })
  // Under the lock, since two copies of one machine may join at the same time.
  await holding(deps.store, call, fleetLock('network'), async () => {
    const holder = (await otherKeys(deps, node)).find((other) => other.publicKey === publicKey)
    if (holder) throw keyTaken(node, holder)
    await putPublicKey(deps.store.db, node.id, publicKey)
  })
  return publicKey
}

interface KeyHolder {
  readonly id: number
  readonly name: string
  readonly publicKey: string
}

/** Where two Nodes already have one key, it is that of the older. */
const otherKeys = async ({ store }: PublishDeps, node: NodeRecord): Promise<readonly KeyHolder[]> =>
  (await listOtherKeys(store.db, node.id)).flatMap(({ id, name, wireguard_public_key: publicKey }) =>
    publicKey === null || (publicKey === node.wireguard_public_key && node.id < id)
      ? []
      : [{ id, name, publicKey }],
  )

const keyTaken = (node: NodeRecord, { id, name }: KeyHolder) =>
  fail('vpn.peer_key_failed', {
    message: `The machine answered with the tunnel key of the Node ${name}. A copy of that machine makes a key of its own when you repeat the request.`,
    details: { node: identityOf(node), holder: { id, name } },
  })

/** Refuses for missing records before anything changes. */
function requireJoinable(membership: Membership, node: NodeRecord): void {
  peerTextOf(membership, node, planOf(membership, membership.hub ?? node, node))
}

const planOf = (membership: Membership, hub: NodeRecord, node: NodeRecord) =>
  resolverOf(membership, hub, node, node.activeRoles.length > 0)

/** A publication as any other: the peers are read, and written, while no other request publishes. */
const becomeHub = (deps: PublishDeps, session: NodeSession, onForeign: OnForeign): Promise<boolean> =>
  holding(deps.store, session.call, fleetLock('network'), async () => {
    const membership = await readMembership(deps)
    const resolver = planOf(membership, session.node, session.node)
    return installHub(deps, membership, session, { resolver, onForeign })
  })

interface NewPeer {
  readonly session: NodeSession
  readonly member: NodeRecord
  readonly onForeign: OnForeign
}

async function becomePeer(
  deps: PublishDeps,
  membership: Membership,
  { session, member, onForeign }: NewPeer,
): Promise<boolean> {
  const resolver = planOf(membership, membership.hub ?? member, member)
  const published = await publishPeers(deps, session.call, member.wireguard_public_key ?? undefined)
  const settled = await session.ask(settlePeer, {
    root: deps.root,
    kind: 'peer',
    configuration: peerTextOf(membership, member, resolver),
    address: `${addressOf(member)}/32`,
    port: PEER_PORT,
    handshakeSeconds: HANDSHAKE_SECONDS,
    resolver,
    // Without roles, and on the gateway's own session, names are no reason to refuse a member (NODE-065, NODE-132).
    requiresResolver: resolver.keeper === 'link',
    onForeignResolver: onForeign,
  })
  return published || settled
}

/** Codes that say something else than that SSH over the tunnel does not work. */
const PASSED: readonly ErrorCode[] = ['http.draining', 'command.deadline_exceeded']

/** A tunnel that has just begun may lose the first packets of a connection, so there is a second one; what may help it comes before. */
async function requireSsh(session: NodeSession, help?: () => Promise<void>): Promise<void> {
  const details = { node: identityOf(session.node) }
  try {
    const { exitCode } = await session.run(run('true'), { timeoutSeconds: SSH_SECONDS })
    if (exitCode === 0) return
  } catch (error) {
    if (!(error instanceof CodedError) || PASSED.some((code) => code === error.code)) throw error
    if (error.code === 'node.unreachable' && help) {
      await help()
      return requireSsh(session)
    }
    throw fail('vpn.peer_ssh_failed', { details: { ...details, error_code: error.code }, cause: error })
  }
  throw fail('vpn.peer_ssh_failed', { details })
}
