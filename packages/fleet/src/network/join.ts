import { type ErrorCode, fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { run } from '@fleet/shell'
import { answerOf, keyReasons, peerReasons } from '#/network/commands/answers.ts'
import { ownKey } from '#/network/commands/key.ts'
import { settleTunnel } from '#/network/commands/settle.ts'
import { PEER_PORT } from '#/network/configuration.ts'
import { addressOf, type Membership, peerTextOf, readMembership, resolverOf } from '#/network/members.ts'
import { installHub, noteBack, publishPeers, type PublishParts } from '#/network/publish.ts'
import { putPublicKey } from '#/network/queries.ts'
import { identityOf, type Machine, type NodeRecord } from '#/nodes/api.ts'
import type { Tunnel } from '#/network/tunnel.ts'

const KEY_SECONDS = 60
const SETTLE_SECONDS = 180
/** Three attempts of WireGuard, which come five seconds apart. */
const HANDSHAKE_SECONDS = 20
const SSH_SECONDS = 20

/**
 * Makes the machine a member: its key, its peer on the hub, its tunnel, and SSH over it with the pinned key (NODE-053). Each
 * part first looks whether it is done, so the identical request goes on where an earlier one ended.
 */
export const makeJoin =
  (parts: PublishParts): Tunnel['join'] =>
  async (machine, { isHub }) => {
    const { call, node } = machine
    const membership = await readMembership(parts)
    addressOf(node)
    if (!isHub) requireJoinable(membership, node)
    const publicKey = await keyOf(parts, machine)
    await putPublicKey(parts.store.db, node.id, publicKey)
    await noteBack(parts.store, node.id)
    const member = { ...node, wireguard_public_key: publicKey }
    if (isHub) await becomeHub(parts, membership, machine)
    else {
      await publishPeers(parts, call, publicKey)
      await becomePeer(parts, membership, { ...machine, node: member })
    }
    // A tunnel that stood has a session that the hub may have forgotten, so a second attempt begins with the hub's word.
    await requireSsh(parts.nodes.machines.overTunnel(call, member), async () => {
      if (!isHub) await publishPeers(parts, call)
    })
    return { publicKey }
  }

/** Refuses for missing records before anything changes. */
function requireJoinable(membership: Membership, node: NodeRecord): void {
  peerTextOf(membership, node, planOf(membership, membership.hub ?? node, node))
}

const planOf = (membership: Membership, hub: NodeRecord, node: NodeRecord) =>
  resolverOf(membership, hub, node, node.activeRoles.length > 0)

async function keyOf({ root }: PublishParts, machine: Machine): Promise<string> {
  const result = await machine.asRoot(ownKey(root), { timeoutSeconds: KEY_SECONDS })
  const codes = { reasons: keyReasons, broken: 'vpn.peer_key_failed' } as const
  const publicKey = answerOf(machine.node, result, 'public_key', codes)
  if (!KEY.test(publicKey)) throw fail('vpn.peer_key_failed', { details: { node: identityOf(machine.node) } })
  return publicKey
}

/** 32 bytes in base64. */
const KEY = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/

async function becomeHub(parts: PublishParts, membership: Membership, machine: Machine): Promise<void> {
  await installHub(parts, membership, machine, {
    resolver: planOf(membership, machine.node, machine.node),
  })
}

async function becomePeer({ root }: PublishParts, membership: Membership, machine: Machine): Promise<void> {
  const { node } = machine
  const resolver = planOf(membership, membership.hub ?? node, node)
  const command = settleTunnel(root, {
    kind: 'peer',
    configuration: peerTextOf(membership, node, resolver),
    address: `${addressOf(node)}/32`,
    port: PEER_PORT,
    handshakeSeconds: HANDSHAKE_SECONDS,
    resolver,
    // Without roles, and on the gateway's own machine, names are no reason to refuse a member (NODE-065, NODE-132).
    requiresResolver: resolver.keeper === 'link',
  })
  const result = await machine.asRoot(command, { timeoutSeconds: SETTLE_SECONDS })
  answerOf(node, result, 'changed', { reasons: peerReasons, broken: 'vpn.peer_config_install_failed' })
}

/** Codes that say something else than that SSH over the tunnel does not work. */
const PASSED: readonly ErrorCode[] = ['http.draining', 'command.deadline_exceeded']

/** A tunnel that has just begun may lose the first packets of a connection, so there is a second one; what may help it comes before. */
async function requireSsh(machine: Machine, help?: () => Promise<void>): Promise<void> {
  const details = { node: identityOf(machine.node) }
  try {
    const { exitCode } = await machine.run(run('true'), { timeoutSeconds: SSH_SECONDS })
    if (exitCode === 0) return
  } catch (error) {
    if (!(error instanceof CodedError) || PASSED.some((code) => code === error.code)) throw error
    if (error.code === 'node.unreachable' && help) {
      await help()
      return requireSsh(machine)
    }
    throw fail('vpn.peer_ssh_failed', { details: { ...details, error_code: error.code }, cause: error })
  }
  throw fail('vpn.peer_ssh_failed', { details })
}
