import { join } from 'node:path'
import { catalogue, errorRegistry } from '@fleet/contract'
import type { Access } from '@fleet/fleet'
import { CodedError } from '@fleet/kernel'
import { openApi } from '@fleet/surfaces'
import { assemble, type Assembled, type GatewayOverrides, leafOf } from './assemble.ts'
import type { GatewayOptions, RunningGateway } from './gateway.ts'
import { makeDispatch } from './http/dispatch.ts'
import { type Listeners, listen } from './http/listeners.ts'
import { mountMcp } from './http/mcp.ts'
import { mountReference } from './http/reference.ts'
import { mountOperations } from './http/routes.ts'
import { makeApp, type ServerIdentity } from './http/server.ts'
import { every, type JobDeps } from './jobs/every.ts'
import { startLive } from './jobs/live.ts'
import { noteTick } from './jobs/tick.ts'
import { startWork } from './jobs/work.ts'
import { drainAndClose } from './stop.ts'

const SWEEP_SECONDS = 60
/** Soon, because an upgrade waits for the jobs of the new release to have run once. */
const FIRST_SWEEP_SECONDS = 2
const RENEWAL_SECONDS = 3600

/**
 * Assembles the gateway, closes Activities that a killed run left open, and listens.
 * Throws what the parts throw: HomeInUse, WrongKey, AppKeyInvalid, AppKeyFileRefused, RootUnavailable, SshKeyUnavailable, or an error that names the endpoint in use.
 */
export async function startGateway(
  options: GatewayOptions,
  overrides: GatewayOverrides = {},
): Promise<RunningGateway> {
  const deps = await assemble(options, overrides)
  try {
    return await startAssembled(deps, options, overrides)
  } catch (error) {
    // Else the home would stay held for as long as this process lives.
    deps.closing.abort()
    await deps.databases[Symbol.asyncDispose]()
    await deps.ssh[Symbol.asyncDispose]()
    await deps.store[Symbol.asyncDispose]()
    throw error
  }
}

async function startAssembled(
  deps: Assembled,
  options: GatewayOptions,
  overrides: GatewayOverrides,
): Promise<RunningGateway> {
  const { clock, log, store, ssh, databases, key, services, admission, closing } = deps
  const identity = async (): Promise<ServerIdentity> =>
    leafOf(deps, join(options.home, 'tls'), options.names, await addressesOf(deps, options))
  const listeners = await serve(deps, options, await identity())
  startJobs(deps, options, async () => listeners.renew(await identity()))
  const work = startWork(deps, overrides.work)
  log.info({ urls: listeners.urls, version: options.version }, 'ready')
  return {
    urls: listeners.urls,
    caFile: join(options.home, 'ca', 'root.crt'),
    sshPublicKey: key.publicKey,
    registry: services.registry,
    placeRealtime: (nodeId, at) => services.realtime.place(nodeId, at),
    leaf: async (names, addresses, directory, renewed) => {
      const current = (): Promise<ServerIdentity> => leafOf(deps, directory, names, addresses)
      const leaf = await current()
      startRenewal(deps, async () => renewed(await current()))
      return leaf
    },
    stop: once((drainSeconds) =>
      drainAndClose({ admission, work, closing, listeners, ssh, databases, store, log, clock, drainSeconds }),
    ),
  }
}

/**
 * Addresses that clients may use: those it listens on, and the tunnel address of its own Node, which it may have by listening everywhere
 * (GW-002). Of everywhere no other address is known but the machine's own to itself.
 */
async function addressesOf(
  { services }: Assembled,
  { listen: places }: GatewayOptions,
): Promise<readonly string[]> {
  const tunnel = (await services.nodes.gateway())?.wireguard_ip
  const listened = places.flatMap(({ address }) => OF_EVERYWHERE[address] ?? [address])
  return [...new Set([...listened, ...(tunnel ? [tunnel] : [])])]
}

const OF_EVERYWHERE: Readonly<Record<string, readonly string[]>> = {
  '0.0.0.0': ['127.0.0.1'],
  '::': ['127.0.0.1', '::1'],
}

const once = (work: (drainSeconds?: number) => Promise<void>): ((drainSeconds?: number) => Promise<void>) => {
  let running: Promise<void> | undefined
  return (drainSeconds) => (running ??= work(drainSeconds))
}

async function serve(
  { services, executor, log, admission, ids, clock }: Assembled,
  options: GatewayOptions,
  identity: ServerIdentity,
): Promise<Listeners> {
  const closed = await services.journal.closeInterrupted()
  if (closed > 0) log.warn({ rows: closed }, 'ended Activities that an earlier run had left running')
  const ended = await services.closeInterruptedRoles()
  if (ended > 0) log.warn({ rows: ended }, 'ended role changes that an earlier run had left unfinished')
  const { access } = services
  const dispatch = makeDispatch({ ...services, executor, clock })
  const app = makeApp(identity)
  mountOperations(app, catalogue, { dispatch, access, admission, ids, clock })
  const { version } = options
  mountMcp(app, { dispatch, access, admission, ids, clock, catalogue, version })
  mountReference(app, () => openApi(catalogue, errorRegistry), admission)
  const onFault = (error: unknown): void => log.error({ err: error }, 'a connection ended with a fault')
  const isKnown = (address: string): Promise<boolean> => isNodeAddress(access, address)
  const names = [...options.names, ...(options.proxyNames ?? [])]
  const freshId = (): string => ids.orderedUuid()
  return listen(app, identity, options.listen, { clock, onFault, isKnown, names, freshId })
}

/** Whether an active Node has it. Public access would tell nothing: it identifies nobody. */
async function isNodeAddress(access: Access, address: string): Promise<boolean> {
  try {
    await access.identify('peer', address)
    return true
  } catch (error) {
    if (error instanceof CodedError && error.code === 'peer.identity_unknown') return false
    throw error
  }
}

function startJobs(
  assembled: Assembled,
  { home, version }: GatewayOptions,
  renew: () => Promise<void>,
): void {
  const { services, clock, log, closing } = assembled
  const job: JobDeps = { clock, signal: closing.signal, log }
  startLive(assembled, job)
  const sweep = async (): Promise<void> => {
    await services.journal.closeInterrupted()
    noteTick(home, { version, at: clock.now() })
  }
  void every(SWEEP_SECONDS, 'what an earlier run left', sweep, job, FIRST_SWEEP_SECONDS)
  startRenewal(assembled, renew)
}

function startRenewal({ clock, log, closing }: Assembled, renew: () => Promise<void>): void {
  void every(RENEWAL_SECONDS, 'certificate renewal', renew, { clock, signal: closing.signal, log })
}
