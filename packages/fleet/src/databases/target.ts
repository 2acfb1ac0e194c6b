import { fail } from '@fleet/contract'
import type { FileTarget, ServerTarget, Target } from '@fleet/database-access'
import type { CodedError, Clock } from '@fleet/kernel'
import { Secret } from '@fleet/kernel'
import { run, withStdin } from '@fleet/shell'
import type { SshPool } from '@fleet/ssh'
import { SealBroken, type Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { openPassword } from '#/databases/password.ts'
import { connectBy, isLoopback } from '#/databases/paths.ts'
import type { DatabaseEngines } from '#/databases/ports.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { type NodeRecord, type Nodes, tunnelTarget } from '#/nodes/api.ts'

export interface TargetParts {
  readonly store: Pick<Store, 'cipher'>
  readonly clock: Clock
  readonly ssh: Pick<SshPool, 'forward'>
  readonly nodes: Pick<Nodes, 'find' | 'gateway' | 'sessions'>
  readonly engines: DatabaseEngines
}

/** What looking into a database needs. */
export type InspectionParts = TargetParts & { readonly store: Store }

/** Milliseconds of one statement, connecting included. */
export const STATEMENT_MILLISECONDS = 30_000
/** What a forwarded stream lives longer than its statement, so that a statement can still be ended through it. */
const ENDING_MILLISECONDS = 15_000
const OPENING_MILLISECONDS = 10_000
const MAX_OUTPUT_BYTES = 17 * 1024 * 1024

/**
 * Where the engines find the database of a connection. Throws `database.driver_unsupported`, `database.sqlite_node_required`
 * and, for a record that cannot be used, `database.query_failed`.
 */
export async function targetOf(parts: TargetParts, call: Call, record: ConnectionRecord): Promise<Target> {
  if (record.driver === 'redis') throw fail('database.driver_unsupported')
  if (record.driver === 'sqlite' && record.node_id === null) throw fail('database.sqlite_node_required')
  const node = await nodeOf(parts, record)
  call.note.target(record.node_id)
  const password = passwordOf(parts, record)
  return record.driver === 'sqlite'
    ? fileTarget(parts, call, record, requirePlaced(node), password)
    : serverTarget(parts, call, record, node, password)
}

/** `database.query_failed` of a record that leads nowhere; nothing was contacted. */
export const unusable = (reason: string, message: string): CodedError =>
  fail('database.query_failed', { message, details: { reason } })

async function nodeOf(
  { nodes }: TargetParts,
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

function passwordOf({ store: { cipher } }: TargetParts, record: ConnectionRecord): Secret | undefined {
  try {
    return openPassword(cipher, record)
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    throw unusable(
      'password_unreadable',
      'The stored password cannot be read. Set it again: `fleet database:update SLUG --password`.',
    )
  }
}

/** SQL, path and password are on standard input; the command line is the same for every statement (DB-065). */
const fileTarget = (
  { nodes }: TargetParts,
  call: Call,
  { path }: ConnectionRecord,
  node: NodeRecord,
  password: Secret | undefined,
): FileTarget => ({
  engine: 'sqlite',
  path: path ?? incomplete('path'),
  ...(password ? { password } : {}),
  run: async (input) => {
    const session = nodes.sessions.overTunnel(call, node)
    const command = withStdin(run('fleet', 'node-sqlite'), new Secret(input))
    const timeoutSeconds = (STATEMENT_MILLISECONDS + ENDING_MILLISECONDS) / 1000
    const { exitCode, stdout } = await session.run(command, {
      timeoutSeconds,
      maxOutputBytes: MAX_OUTPUT_BYTES,
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
  parts: TargetParts,
  call: Call,
  record: ConnectionRecord,
  node: NodeRecord | undefined,
  password: Secret | undefined,
): Promise<ServerTarget> {
  const { host, port, database_name: database, username, driver } = record
  const address = { host: host ?? incomplete('host'), port: port ?? incomplete('port') }
  const paths = await pathsOf(parts, call, address.host, node)
  return {
    engine: driver === 'mysql' ? 'mysql' : 'pgsql',
    tls: {
      mode: record.tls ?? 'prefer',
      host: address.host,
      ...(record.tls_ca === null ? {} : { authority: record.tls_ca }),
    },
    open: (signal) => connectBy(parts.clock, paths, address, signal),
    username: username ?? incomplete('username'),
    password: password ?? incomplete('password'),
    database: database ?? incomplete('database'),
  }
}

/** A loopback address of a connection with a Node is that Node's own, never the gateway's (decision 0154). */
async function pathsOf(
  { engines, nodes, ssh }: TargetParts,
  call: Call,
  host: string,
  node: NodeRecord | undefined,
): Promise<Parameters<typeof connectBy>[1]> {
  const isHere = node !== undefined && (await nodes.gateway())?.id === node.id
  if (!node || isHere) return { direct: engines.dial, forwarded: undefined }
  return {
    direct: isLoopback(host) ? undefined : engines.dial,
    forwarded: (address, signal) =>
      ssh.forward(tunnelTarget(node), address, {
        timeoutMilliseconds: Math.min(OPENING_MILLISECONDS, call.deadline.remainingMilliseconds()),
        lifetimeMilliseconds: STATEMENT_MILLISECONDS + ENDING_MILLISECONDS,
        signal,
      }),
  }
}

function incomplete(field: string): never {
  throw unusable(
    'incomplete',
    `The connection has no ${field}. Set it: \`fleet database:update SLUG --${field}\`.`,
  )
}
