import type { Clock, Secret } from '@fleet/kernel'
import { connect, type ConnectOptions } from './connect.ts'
import { Connection } from './connection.ts'
import { readSshKey } from './keys.ts'
import { NodeLink } from './node-link.ts'
import { scan } from './scan.ts'
import { startTimeLimit } from './time-limit.ts'
import { SshFailure, type SshPool, type SshTarget } from './types.ts'

export interface SshPoolOptions {
  /** OpenSSH or PKCS8 PEM text of the gateway's key. */
  readonly privateKey: Secret
  readonly clock: Clock
  /** A connection closes after this long without a command (GW-047). */
  readonly idleSeconds?: number
  /** Commands at once per Node; more wait in line. sshd's default allows ten sessions, two of which end commands. */
  readonly maxChannels?: number
  /** Of these, how many long commands leave to the others. */
  readonly keptForShort?: number
  readonly connectTimeoutMilliseconds?: number
  /** A silent peer is asked this often and given up after `keepaliveCount` unanswered questions (GW-047). */
  readonly keepaliveSeconds?: number
  readonly keepaliveCount?: number
}

const DEFAULT_MAX_OUTPUT_BYTES = 1024 * 1024

interface Entry {
  readonly target: SshTarget
  readonly link: NodeLink
}

/**
 * Runs commands on Nodes over shared, pinned connections: one for each address and login of a Node. Throws when the key is
 * none.
 */
export function createSshPool(options: SshPoolOptions): SshPool {
  const { clock } = options
  const entries = new Map<number, readonly Entry[]>()
  const connecting = connectOptions(options)
  const ending = new AbortController()

  const linkTo = (target: SshTarget): NodeLink => {
    const others = entries.get(target.nodeId) ?? []
    const known = others.find((entry) => sameTarget(entry.target, target))
    if (known) return known.link
    const link = new NodeLink({
      clock,
      maxChannels: options.maxChannels ?? 8,
      keptForShort: options.keptForShort ?? 3,
      idleMilliseconds: (options.idleSeconds ?? 60) * 1000,
      connect: () => connect(target, connecting),
      onIdle: () => drop(target.nodeId, link),
    })
    // Another one of the Node goes when it is idle: a change may run over it while a read comes by another address.
    entries.set(target.nodeId, [...others, { target, link }])
    return link
  }

  const drop = (nodeId: number, link: NodeLink): void => {
    const left = entries.get(nodeId)?.filter((entry) => entry.link !== link) ?? []
    if (left.length > 0) entries.set(nodeId, left)
    else entries.delete(nodeId)
  }

  return {
    run: async (
      target,
      command,
      { timeoutMilliseconds, signal, maxOutputBytes = DEFAULT_MAX_OUTPUT_BYTES, isLong = false, ...streams },
    ) => {
      if (ending.signal.aborted) throw new SshFailure('cancelled', false)
      using limit = startTimeLimit(clock, timeoutMilliseconds, signal)
      return await linkTo(target).run(command, { ...streams, signal: limit.signal, maxOutputBytes, isLong })
    },
    forward: async (target, destination, { timeoutMilliseconds, lifetimeMilliseconds, signal }) => {
      if (ending.signal.aborted) throw new SshFailure('cancelled', false)
      using limit = startTimeLimit(clock, timeoutMilliseconds, signal)
      return await linkTo(target).forward(destination, { signal: limit.signal, lifetimeMilliseconds })
    },
    probe: async (target, timeoutMilliseconds) => {
      const open = await connect(target, { ...connecting, timeoutMilliseconds })
      const nobodyElse = (): void => undefined
      await new Connection(open, { clock, unusable: nobodyElse, closed: nobodyElse }).close()
    },
    scan: (host, port, timeoutMilliseconds) => scan({ host, port }, { clock, timeoutMilliseconds }),
    forget: (nodeId) => {
      for (const { link } of entries.get(nodeId) ?? []) void link.end()
      entries.delete(nodeId)
    },
    [Symbol.asyncDispose]: async () => {
      ending.abort()
      await Promise.all([...entries.values()].flat().map(({ link }) => link.end()))
      entries.clear()
    },
  }
}

const connectOptions = (options: SshPoolOptions): ConnectOptions => ({
  privateKey: readSshKey(options.privateKey).privateKey,
  clock: options.clock,
  timeoutMilliseconds: options.connectTimeoutMilliseconds ?? 10_000,
  keepaliveSeconds: options.keepaliveSeconds ?? 5,
  keepaliveCount: options.keepaliveCount ?? 2,
})

const sameTarget = (a: SshTarget, b: SshTarget): boolean =>
  a.host === b.host && a.port === b.port && a.user === b.user && a.fingerprint === b.fingerprint
