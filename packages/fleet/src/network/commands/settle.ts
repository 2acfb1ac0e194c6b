import { Secret } from '@fleet/kernel'
import { programOf, textFile, type Word } from '@fleet/shell'
import { HOOK, RESOLVER, RUNNING, TUNNEL } from '#/network/commands/library.ts'
import { hubReasons, moreOfStart, peerReasons } from '#/network/commands/reasons.ts'
import { type OnForeign, resolverWords } from '#/network/commands/resolver-words.ts'
import type { ResolverPlan } from '#/network/resolver-plan.ts'
import type { NodeScript } from '#/nodes/api.ts'

export interface Settlement {
  readonly kind: 'hub' | 'peer'
  /** As `hubConfiguration` or `peerConfiguration` gives it. */
  readonly configuration: string
  /** With the length of its prefix, as in the configuration. */
  readonly address: string
  readonly port: number
  /** How long the hub may take to answer; 0 for the hub itself. */
  readonly handshakeSeconds: number
  /** Public key of a peer that shall find the hub by itself: a hub that speaks first would hide that it cannot. */
  readonly speaksFirst?: string | undefined
  /** Undefined leaves the resolver as it is. */
  readonly resolver?: ResolverPlan
  /** The resolver is worth the failure. */
  readonly requiresResolver?: boolean
  readonly onForeignResolver?: OnForeign
}

type Rooted = Settlement & { readonly root: string }

/**
 * Makes /etc/wireguard/fleet.conf what it should be, and applies it to the tunnel and its resolver, now and after the
 * next boot; one round trip. What already matches is not touched: peers of a hub change one by one, without a restart,
 * and a peer's tunnel that runs as configured continues. If a peer's configuration does not work, the last working one
 * is restored. Returns whether anything changed.
 */
const settleTunnel: Omit<NodeScript<Rooted, boolean>, 'reasons' | 'broken'> = {
  source: programOf(textFile('settle-tunnel.sh', import.meta.url), ...TUNNEL, RUNNING, RESOLVER),
  args: wordsOf,
  shown: ({ kind, address }) => [kind, address],
  stdin: ({ configuration }) => new Secret(configuration),
  more: moreOfStart,
  read: (answer) => answer.flag('changed'),
}

export const settleHub: NodeScript<Rooted, boolean> = {
  ...settleTunnel,
  timeoutSeconds: 60,
  reasons: hubReasons,
  broken: 'vpn.server_config_install_failed',
}

export const settlePeer: NodeScript<Rooted, boolean> = {
  ...settleTunnel,
  timeoutSeconds: 180,
  reasons: peerReasons,
  broken: 'vpn.peer_config_install_failed',
}

function wordsOf({
  root,
  resolver,
  requiresResolver,
  onForeignResolver = 'refuse',
  speaksFirst = '',
  ...tunnel
}: Rooted): readonly Word[] {
  const { kind, configuration, address, port, handshakeSeconds } = tunnel
  const own = [kind, Buffer.byteLength(configuration), address, port, handshakeSeconds, speaksFirst]
  return [
    root,
    HOOK,
    ...own,
    ...resolverWords(resolver),
    requiresResolver === true ? 'yes' : 'no',
    onForeignResolver,
  ]
}
