import { fail } from '@fleet/contract'
import type { Secret } from '@fleet/kernel'
import { SealBroken, type Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import {
  copyDatabase,
  type DatabaseLock,
  endCopy,
  runStatements,
  type ServerLogin,
  waitForLogin,
} from '#/databases/servers/commands/server-scripts.ts'
import { RECORD_BROKEN } from '#/databases/password.ts'
import type { Containers } from '#/databases/servers/ports.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'
import { ofServer } from '#/databases/servers/silent.ts'
import { openRootPassword } from '#/databases/servers/root-password.ts'
import { statementsOf } from '#/databases/servers/sql/sql.ts'
import type { Statements } from '#/databases/servers/sql/statements.ts'
import { nodeDetail, type Nodes, type NodeSession } from '#/nodes/api.ts'

export interface AdminDeps {
  readonly store: Pick<Store, 'db' | 'cipher'>
  readonly nodes: Pick<Nodes, 'find' | 'sessions'>
  readonly containers: Containers
}

/** The root of one server, over a session on its Node. */
export interface ServerAdmin {
  readonly session: NodeSession
  readonly login: ServerLogin
  /** Process that the server runs as. */
  readonly process: number
  /** Throws `database.server_start_failed`. */
  wait(): Promise<void>
}

/** Which of the databases of a server, and the user who owns it when that is changed as well. */
export type DatabaseOf = Pick<DatabaseLock, 'database' | 'user'>

type Text = (statements: Statements) => string

/**
 * The same root for one database. A script of an earlier request on it ends before each of these begins. All throw
 * `database.server_command_failed` and `database.operation_busy`.
 */
export interface DatabaseAdmin {
  /** Rows of the statements. */
  run(text: Text): Promise<readonly string[]>
  /** The database and its user are gone after the statements. */
  runLast(text: Text): Promise<unknown>
  /** What is still copied into the database comes to an end. */
  endCopy(): Promise<void>
  /** Its rows are those of another one. */
  copy(from: string, owner: { readonly user: string; readonly password: Secret }): Promise<void>
}

/** Throws what `adminOf` does. */
export async function databaseAdminOf(
  deps: AdminDeps,
  call: Call,
  server: ServerRecord,
  of: DatabaseOf,
): Promise<DatabaseAdmin> {
  const { session, login, process } = await adminOf(deps, call, server)
  const lock = { process, database: of.database, user: of.user }
  const statements = statementsOf(server.engine)
  const named = <T>(work: Promise<T>): Promise<T> => ofServer(server, work)
  return {
    run: (text) => named(session.ask(runStatements, { login, lock, sql: text(statements) })),
    runLast: (text) =>
      named(session.ask(runStatements, { login, lock, isLast: true, sql: text(statements) })),
    endCopy: () => named(session.ask(endCopy, { login, lock, sql: statements.sessions(of.database) })),
    copy: (from, { user: owner, password: ownerPassword }) =>
      session.ask(copyDatabase, { login, lock, from, to: of.database, owner, ownerPassword }),
  }
}

/** Throws `node.not_active`, and `database.server_inactive` for a server without a Process or whose password cannot be read. */
export async function adminOf(deps: AdminDeps, call: Call, server: ServerRecord): Promise<ServerAdmin> {
  const node = await deps.nodes.find(server.node_id)
  if (!node || server.process_id === null) throw inactive(server)
  if (node.status !== 'active') throw fail('node.not_active', { details: nodeDetail(node) })
  call.note.target(node.id)
  const session = deps.nodes.sessions.overTunnel(call, node)
  const container = deps.containers.nameOf({ id: server.process_id, name: server.slug, runtime: 'docker' })
  const login = { container, engine: server.engine, password: passwordOf(deps, server) }
  return {
    session,
    login,
    process: server.process_id,
    wait: () => ofServer(server, session.ask(waitForLogin, { login, sql: 'SELECT 1;' })),
  }
}

export const inactive = ({ slug, status }: ServerRecord) =>
  fail('database.server_inactive', {
    ...(status === 'removing' ? { message: REMOVING } : {}),
    details: { server: slug, status },
  })

const REMOVING =
  'The database server is being removed. Finish that with the same `fleet database:server:destroy SLUG`.'

/** Throws `database.server_inactive` unless its creation has ended (DBS-040). */
export function requireActive(server: ServerRecord): void {
  if (server.status !== 'active') throw inactive(server)
}

function passwordOf({ store: { cipher } }: AdminDeps, server: ServerRecord) {
  try {
    return openRootPassword(cipher, server)
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    throw fail('database.server_inactive', {
      message: `The stored root password of the database server ${server.slug} cannot be read. ${RECORD_BROKEN}`,
      details: { server: server.slug, reason: 'password_unreadable' },
      cause: error,
    })
  }
}
