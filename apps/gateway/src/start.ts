import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { catalogue, errorRegistry } from '@fleet/contract'
import { type Clock, type Ids, systemClock, systemIds } from '@fleet/kernel'
import { ensureLeaf, ensureRoot, type Root } from '@fleet/pki'
import { createSshPool, type SshPool } from '@fleet/ssh'
import type { Store } from '@fleet/store'
import { openApi } from '@fleet/surfaces'
import type { Logger } from 'pino'
import { compose, type Services } from './compose.ts'
import { type Feed, silentFeed } from './feed/feed.ts'
import type { GatewayOptions, RunningGateway } from './gateway.ts'
import { Admission } from './http/admission.ts'
import { makeDispatch } from './http/dispatch.ts'
import { type Listeners, listen } from './http/listeners.ts'
import { mountMcp } from './http/mcp.ts'
import { mountReference } from './http/reference.ts'
import { mountOperations } from './http/routes.ts'
import { makeApp, type ServerIdentity } from './http/server.ts'
import { ensureGatewayId, ensureSshKey } from './identity-files.ts'
import { every, type JobParts } from './jobs/every.ts'
import { makeLog } from './log.ts'
import { openHomeStore } from './open-home-store.ts'
import { drainAndClose } from './stop.ts'

const SWEEP_SECONDS = 60
const RENEWAL_SECONDS = 3600

/** What a test may put in the place of the real thing. */
export interface GatewayOverrides {
  readonly clock?: Clock
  readonly ids?: Ids
  readonly ssh?: SshPool
  readonly store?: Store
  readonly feed?: Feed
}

/**
 * Opens the store, makes what the first start makes, closes Activities that a killed run left open, and listens.
 * Throws what the parts throw: WrongKey, AppKeyInvalid, AppKeyFileRefused, RootUnavailable, or an error that names the endpoint in use.
 */
export async function startGateway(
  options: GatewayOptions,
  overrides: GatewayOverrides = {},
): Promise<RunningGateway> {
  const { home } = options
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const clock = overrides.clock ?? systemClock
  const ids = overrides.ids ?? systemIds
  const log = makeLog(options.log, options.logFile)
  const gatewayId = ensureGatewayId(join(home, 'gateway.id'), ids)
  const key = ensureSshKey(join(home, 'ssh', 'id_ed25519'))
  const root = await ensureRoot({ directory: join(home, 'ca'), clock, name: 'Fleet root' })
  const identity = (): Promise<ServerIdentity> =>
    leafOf(
      root,
      clock,
      join(home, 'tls'),
      options.names,
      options.listen.map(({ address }) => address),
    )
  const store = overrides.store ?? (await openHomeStore(options, { clock, ids, gatewayId }))
  const ssh = overrides.ssh ?? createSshPool({ privateKey: key.privateKey, clock })
  const admission = new Admission()
  const services = compose({
    store,
    clock,
    ids,
    ssh,
    gatewayId,
    gitEnvironment: options.gitEnvironment ?? {},
    facts: {
      ...factsOf(options, store, admission),
      sshKey: { publicKey: key.publicKey, fingerprint: key.fingerprint },
    },
  })
  const closing = new AbortController()
  const listeners = await serve(services, {
    options,
    clock,
    ids,
    log,
    admission,
    feed: overrides.feed ?? silentFeed,
    signal: closing.signal,
    identity: await identity(),
  })
  startJobs(services, listeners, identity, { clock, signal: closing.signal, log })
  log.info({ urls: listeners.urls, version: options.version }, 'ready')
  return {
    urls: listeners.urls,
    caFile: join(home, 'ca', 'root.crt'),
    sshPublicKey: key.publicKey,
    registry: services.registry,
    leaf: (names, addresses, directory) => leafOf(root, clock, directory, names, addresses),
    stop: once(() => drainAndClose({ admission, closing, listeners, ssh, store, log, clock })),
  }
}

const once = (work: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | undefined
  return () => (running ??= work())
}

async function leafOf(
  root: Root,
  clock: Clock,
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

interface ServeParts {
  readonly options: GatewayOptions
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly admission: Admission
  readonly feed: Feed
  readonly signal: AbortSignal
  readonly identity: ServerIdentity
}

async function serve(services: Services, parts: ServeParts): Promise<Listeners> {
  const closed = await services.journal.closeInterrupted()
  if (closed > 0) parts.log.warn({ rows: closed }, 'closed Activities that an earlier run left running')
  const dispatch = makeDispatch({ ...parts, ...services })
  const app = makeApp(parts.identity)
  mountOperations(app, catalogue, {
    dispatch,
    access: services.access,
    admission: parts.admission,
    ids: parts.ids,
    clock: parts.clock,
  })
  mountMcp(app, { ...parts, dispatch, access: services.access, catalogue, version: parts.options.version })
  mountReference(app, openApi(catalogue, errorRegistry), parts.admission)
  return listen(app, parts.identity, parts.options.listen, parts.clock)
}

function startJobs(
  services: Services,
  listeners: Listeners,
  identity: () => Promise<ServerIdentity>,
  job: JobParts,
): void {
  void every(SWEEP_SECONDS, 'interrupted activities', () => services.journal.closeInterrupted(), job)
  void every(RENEWAL_SECONDS, 'certificate renewal', async () => listeners.renew(await identity()), job)
}
