import { fail } from '@fleet/contract'
import type { FileTarget, ServerTarget, SparePlace, Target } from '@fleet/database-access'
import type { CodedError, Clock } from '@fleet/kernel'
import { Secret } from '@fleet/kernel'
import { run, withStdin } from '@fleet/shell'
import type { SshPool } from '@fleet/ssh'
import { SealBroken, type Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { openPassword, unreadablePassword } from '#/databases/password.ts'
import { connectBy, type Paths } from '#/databases/paths.ts'
import type { Address, DatabaseEngines } from '#/databases/ports.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { isLoopback } from '#/network/api.ts'
import { type NodeRecord, type Nodes, tunnelTarget } from '#/nodes/api.ts'

export interface TargetDeps {
  readonly store: Pick<Store, 'cipher'>
  readonly clock: Clock
  readonly ssh: Pick<SshPool, 'forward'>
  readonly nodes: Pick<Nodes, 'find' | 'gateway' | 'sessions'>
  readonly engines: DatabaseEngines
}

/** What looking into a database needs. */
export type InspectionDeps = TargetDeps & { readonly store: Store }

/** Milliseconds of one statement, connecting included. */
export const STATEMENT_MILLISECONDS = 30_000
/** What a forwarded stream lives longer than its statement, so that a statement can still be ended through it. */
const ENDING_MILLISECONDS = 15_000
const OPENING_MILLISECONDS = 10_000
/** What a stream that is opened before its statement waits for it, and a moment to open it. */
const WAITING_MILLISECONDS = 75_000
const MAX_OUTPUT_BYTES = 17 * 1024 * 1024

/**
 * Where the engines find the database of a connection. Throws `database.driver_unsupported`, `database.sqlite_node_required`
 * and, for a record that cannot be used, `database.query_failed`.
 */
export async function targetOf(deps: TargetDeps, call: Call, record: ConnectionRecord): Promise<Target> {
  if (record.driver === 'redis') throw fail('database.driver_unsupported')
  if (record.driver === 'sqlite' && record.node_id === null) throw fail('database.sqlite_node_required')
  const node = await nodeOf(deps, record)
  call.note.target(record.node_id)
  const password = passwordOf(deps, record)
  return record.driver === 'sqlite'
    ? fileTarget(deps, call, record, requirePlaced(node), password)
    : serverTarget(deps, call, record, node, password)
}

/** `database.query_failed` of a record that leads nowhere; nothing was contacted. */
export const unusable = (reason: string, message: string): CodedError =>
  fail('database.query_failed', { message, details: { reason } })

async function nodeOf(
  { nodes }: TargetDeps,
  { node_id: id }: ConnectionRecord,
): Promise<NodeRecord | undefined> {
  if (id === null) return undefined
  const node = await nodes.find(id)
  if (!node)
    throw unusable(
      'node_missing',
      'The Node of the connection was removed. Name another one, or none: `fleet database:update SLUG --no-node`.',
    )
  return node
}

/** A file is read on an active Node with a tunnel address alone (DB-067). */
function requirePlaced(node: NodeRecord | undefined): NodeRecord {
  if (!node) throw fail('database.sqlite_node_required')
  if (node.status !== 'active' || node.wireguard_ip === null)
    throw unusable('node_inactive', `The Node ${node.name} of the connection is not active.`)
  return node
}

function passwordOf({ store: { cipher } }: TargetDeps, record: ConnectionRecord): Secret | undefined {
  try {
    return openPassword(cipher, record)
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    throw unusable('password_unreadable', unreadablePassword(record))
  }
}

/** SQL, path and password are on standard input; the command line is the same for every statement (DB-065). */
const fileTarget = (
  { nodes }: TargetDeps,
  call: Call,
  { path }: ConnectionRecord,
  node: NodeRecord,
  password: Secret | undefined,
): FileTarget => ({
  engine: 'sqlite',
  path: path ?? incomplete('path'),
  ...(password ? { password } : {}),
  run: async (input, signal) => {
    const session = nodes.sessions.overTunnel(call, node)
    const command = withStdin(run('fleet', 'node-sqlite'), new Secret(input))
    const timeoutSeconds = (STATEMENT_MILLISECONDS + ENDING_MILLISECONDS) / 1000
    const { exitCode, stdout } = await session.run(command, {
      timeoutSeconds,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      signal,
    })
    if (exitCode !== 0) throw new CommandMissing(exitCode)
    return stdout.toString()
  },
})

/** The Node has no executable that reads SQLite files, or it broke. */
export class CommandMissing extends Error {
  override readonly name = 'CommandMissing'
  readonly exitCode: number | null
  constructor(exitCode: number | null) {
    super('the command on the Node did not run')
    this.exitCode = exitCode
  }
}

async function serverTarget(
  deps: TargetDeps,
  call: Call,
  record: ConnectionRecord,
  node: NodeRecord | undefined,
  password: Secret | undefined,
): Promise<ServerTarget> {
  const { host, port, database_name: database, username, driver } = record
  const address = { host: host ?? incomplete('host'), port: port ?? incomplete('port') }
  const through = node && (await isGateway(deps, node)) ? undefined : node
  const timeoutMilliseconds = Math.min(OPENING_MILLISECONDS, call.deadline.remainingMilliseconds())
  const paths = pathsOf(deps, address.host, through, { timeoutMilliseconds, waitingMilliseconds: 0 })
  return {
    engine: driver === 'mysql' ? 'mysql' : 'pgsql',
    tls: {
      mode: record.tls ?? 'prefer',
      host: address.host,
      ...(record.tls_ca === null ? {} : { authority: record.tls_ca }),
    },
    open: (signal) => connectBy(deps.clock, paths, address, signal),
    username: username ?? incomplete('username'),
    password: password ?? incomplete('password'),
    database: database ?? incomplete('database'),
    spares: sparePlace(deps, record, address, through),
  }
}

/** Spares belong to the row exactly as it is stored, and to the Node as it is reached now (decision 0265). */
function sparePlace(
  deps: TargetDeps,
  record: ConnectionRecord,
  address: Address,
  through: NodeRecord | undefined,
): SparePlace {
  const times = { timeoutMilliseconds: OPENING_MILLISECONDS, waitingMilliseconds: WAITING_MILLISECONDS }
  const paths = pathsOf(deps, address.host, through, times)
  const reached = through && [
    through.id,
    through.wireguard_ip,
    through.ssh_port,
    through.user,
    through.ssh_host_fingerprint,
    through.status,
  ]
  return {
    owner: spareOwner(record),
    version: JSON.stringify([record, reached]),
    server: JSON.stringify([address.host, address.port, through?.id]),
    open: (signal) => connectBy(deps.clock, paths, address, signal),
  }
}

/** Under which the engines keep connections of a record. */
export const spareOwner = ({ id }: Pick<ConnectionRecord, 'id'>): string => String(id)

const isGateway = async ({ nodes }: TargetDeps, { id }: NodeRecord): Promise<boolean> =>
  (await nodes.gateway())?.id === id

/** A loopback address of a connection with a Node is that Node's own, never the gateway's (decision 0154). */
function pathsOf(
  { engines, ssh }: TargetDeps,
  host: string,
  node: NodeRecord | undefined,
  times: { readonly timeoutMilliseconds: number; readonly waitingMilliseconds: number },
): Paths {
  if (!node) return { direct: engines.dial, forwarded: undefined }
  const { timeoutMilliseconds, waitingMilliseconds } = times
  const lifetimeMilliseconds = waitingMilliseconds + STATEMENT_MILLISECONDS + ENDING_MILLISECONDS
  return {
    direct: isLoopback(host) ? undefined : engines.dial,
    forwarded: (address, signal) =>
      ssh.forward(tunnelTarget(node), address, { timeoutMilliseconds, lifetimeMilliseconds, signal }),
  }
}

function incomplete(field: string): never {
  throw unusable(
    'incomplete',
    `The connection has no ${field}. Set it: \`fleet database:update SLUG --${field}\`.`,
  )
}
