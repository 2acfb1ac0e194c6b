import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  compose,
  GITHUB,
  type Domains,
  type Executor,
  type GitHubServer,
  makeExecutor,
  hasNodes,
  openFleetRoot,
  type RealtimeServers,
  type Services,
  WEBSOCKET_PORT,
  type WorkKind,
  type WorkRunnerDeps,
} from '@fleet/fleet'
import { openDatabases } from '@fleet/database-access'
import { type Clock, type Ids, systemClock, systemIds } from '@fleet/kernel'
import { ensureLeaf, type Root } from '@fleet/pki'
import { createSshPool, dial, type SshKey, type SshPool } from '@fleet/ssh'
import type { Store } from '@fleet/store'
import type { Logger } from 'pino'
import { servedCertificates } from './certificates/served.ts'
import { activityPublisher } from './feed/activity-publisher.ts'
import { Broadcaster } from './feed/broadcaster.ts'
import type { Feed } from './feed/feed.ts'
import { makeLogPublisher } from './feed/log-publisher.ts'
import { makePoster, type Poster } from './feed/post.ts'
import { makeServerProbe } from './feed/server-probe.ts'
import type { GatewayOptions } from './gateway.ts'
import { Admission } from './http/admission.ts'
import type { ServerIdentity } from './http/server.ts'
import { ensureGatewayId, ensureSshKey } from './identity-files.ts'
import { makeLog } from './log.ts'
import { openHomeStore, openOwnStore } from './open-home-store.ts'
import { protectedPaths } from './protected-paths.ts'
import { noExecutables, releaseExecutables } from './release/executables.ts'

/** What a test may put in the place of the real thing. */
export interface GatewayOverrides {
  readonly clock?: Clock
  readonly ids?: Ids
  readonly ssh?: SshPool
  readonly store?: Store
  readonly feed?: Feed
  /** Domains of its own, such as work on machines that nothing is done to. */
  readonly fakes?: Partial<Domains> | undefined
  /** GitHub itself when absent. */
  readonly github?: GitHubServer | undefined
  /** Of everything that is sent to WebSocket servers. */
  readonly poster?: Poster
  /** A lock that is taken against the order fails the request instead of being logged. */
  readonly strictLocks?: boolean
  readonly work?: WorkOverrides
}

/** Work without a request, as a test wants it. */
export interface WorkOverrides extends Partial<Pick<WorkRunnerDeps, 'leaseSeconds' | 'slots'>> {
  /** Besides the fleet's own. */
  readonly kinds?: (deps: Assembled) => readonly WorkKind[]
}

/** Everything of a gateway but its listeners: what the process serves, and what a console command works with. */
export interface Assembled {
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly store: Store
  readonly ssh: SshPool
  /** Connections to registered databases that are kept ready. */
  readonly databases: AsyncDisposable
  readonly key: SshKey
  readonly root: Root
  /** Folder of the fleet's own authority. */
  readonly caDirectory: string
  readonly admission: Admission
  readonly services: Services
  readonly feed: Feed
  readonly poster: Poster
  /** Makes every Call of this process. */
  readonly executor: Executor
  /** Aborted when the process stops for good: ends the work in flight. */
  readonly closing: AbortController
}

export interface AssembleHow {
  /**
   * Owner of the locks and of the running Activities. An owner that opens the store ends the locks of its own earlier
   * run, so two processes may not share it: a console command beside a running gateway brings its own.
   */
  readonly owner?: (gatewayId: string) => string
}

/**
 * Opens the store and makes what the first start makes.
 * Throws what the parts throw: HomeInUse, WrongKey, AppKeyInvalid, AppKeyFileRefused, RootUnavailable, SshKeyUnavailable.
 */
export async function assemble(
  options: GatewayOptions,
  overrides: GatewayOverrides = {},
  how: AssembleHow = {},
): Promise<Assembled> {
  const [home, caDirectory] = [options.home, join(options.home, 'ca')]
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const clock = overrides.clock ?? systemClock
  const ids = overrides.ids ?? systemIds
  const log = makeLog(options.log, options.logFile)
  const stored = ensureGatewayId(join(home, 'gateway.id'), ids)
  const gatewayId = how.owner?.(stored) ?? stored
  const open = how.owner ? openHomeStore : openOwnStore
  const store = overrides.store ?? (await open(options, { clock, ids, gatewayId }))
  const { root, key } = await identityOf(store, clock, home)
  const ssh = overrides.ssh ?? createSshPool({ privateKey: key.privateKey, clock })
  const databases = openDatabases({ clock, ids })
  const admission = new Admission()
  // The publisher needs the subscribers, and the other way round.
  const servers = (): Promise<RealtimeServers> => services.realtime.servers()
  const poster = overrides.poster ?? makePoster(root.certificate, clock)
  const feed: Feed = overrides.feed ?? new Broadcaster({ servers, poster, clock, log, run: ids.hex(8) })
  const services: Services = compose({
    publisher: activityPublisher(feed, log),
    logPublisher: makeLogPublisher({ servers, poster, clock }),
    warn: (message, cause) => log.warn({ err: cause }, message),
    serverProbe: makeServerProbe(poster, clock),
    engines: { access: databases, dial },
    fakes: overrides.fakes,
    servedCertificates,
    store,
    clock,
    ids,
    ssh,
    gatewayId,
    protectedPaths: protectedPaths(options),
    sshPublicKey: key.publicKey,
    executables: options.release ? releaseExecutables(options.release) : noExecutables,
    websocketPort: options.websocketPort ?? WEBSOCKET_PORT,
    websocketOrigins: [...options.names, ...(options.websocketOrigins ?? [])],
    acmeDirectory: options.acmeDirectory,
    hibernation: options.hibernation,
    local: options.local,
    gitEnvironment: options.gitEnvironment ?? {},
    github: overrides.github ?? { ...GITHUB, fetch },
    facts: {
      ...factsOf(options, store, admission),
      sshKey: { publicKey: key.publicKey, fingerprint: key.fingerprint },
    },
  })
  const closing = new AbortController()
  const executor = makeExecutor({
    store,
    journal: services.journal,
    clock,
    ids,
    feed,
    log,
    signal: closing.signal,
    strictLocks: overrides.strictLocks,
  })
  return {
    clock,
    ids,
    log,
    store,
    ssh,
    databases,
    key,
    root,
    caDirectory,
    admission,
    services,
    feed,
    poster,
    executor,
    closing,
  }
}

/** Else the home would stay held for as long as this process lives. */
async function identityOf(store: Store, clock: Clock, home: string): Promise<{ root: Root; key: SshKey }> {
  try {
    const root = await openFleetRoot({ store, clock, caDirectory: join(home, 'ca') })
    const key = ensureSshKey({ path: join(home, 'ssh', 'id_ed25519'), mayMake: !(await hasNodes(store.db)) })
    return { root, key }
  } catch (error) {
    await store[Symbol.asyncDispose]()
    throw error
  }
}

/** Certificate and key of a server of this machine. */
export async function leafOf(
  { root, clock }: Pick<Assembled, 'root' | 'clock'>,
  directory: string,
  names: readonly string[],
  addresses: readonly string[],
): Promise<ServerIdentity> {
  const leaf = await ensureLeaf({ directory, root, clock, names, addresses })
  return { certificate: leaf.certificate, key: leaf.key.reveal() }
}

const factsOf = (options: GatewayOptions, store: Store, admission: Admission) =>
  ({
    name: options.name,
    version: options.version,
    runtime: { name: 'node', version: process.versions.node },
    caDirectory: join(options.home, 'ca'),
    health: async () => (admission.draining ? 'draining' : (await store.answers()) ? 'ready' : 'degraded'),
  }) as const
