import { fail } from '@fleet/contract'
import { SealBroken, type Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import {
  copyDatabase,
  runStatements,
  type ServerLogin,
  waitForLogin,
} from '#/databases/servers/commands/server-scripts.ts'
import type { Containers } from '#/databases/servers/ports.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'
import { openRootPassword } from '#/databases/servers/root-password.ts'
import { statementsOf } from '#/databases/servers/sql/sql.ts'
import type { Statements } from '#/databases/servers/sql/statements.ts'
import { nodeDetail, type Nodes, type NodeSession } from '#/nodes/api.ts'

export interface AdminParts {
  readonly store: Pick<Store, 'db' | 'cipher'>
  readonly nodes: Pick<Nodes, 'find' | 'sessions'>
  readonly containers: Containers
}

/** The root of one server, over a session on its Node. */
export interface ServerAdmin {
  readonly session: NodeSession
  readonly login: ServerLogin
  /** Rows of the statements. Throws `database.server_command_failed`. */
  run(text: (statements: Statements) => string): Promise<readonly string[]>
  /** Throws `database.server_command_failed`. */
  copy(databases: { readonly from: string; readonly to: string; readonly owner: string }): Promise<void>
  /** Throws `database.server_start_failed`. */
  wait(): Promise<void>
}

/** Throws `node.not_active`, and `database.server_inactive` for a server without a Process or whose password cannot be read. */
export async function adminOf(parts: AdminParts, call: Call, server: ServerRecord): Promise<ServerAdmin> {
  const node = await parts.nodes.find(server.node_id)
  if (!node || server.process_id === null) throw inactive(server)
  if (node.status !== 'active') throw fail('node.not_active', { details: nodeDetail(node) })
  call.note.target(node.id)
  const session = parts.nodes.sessions.overTunnel(call, node)
  const container = parts.containers.nameOf({ id: server.process_id, name: server.slug, runtime: 'docker' })
  const login = { container, engine: server.engine, password: passwordOf(parts, server) }
  const statements = statementsOf(server.engine)
  return {
    session,
    login,
    run: (text) => session.ask(runStatements, { login, sql: text(statements) }),
    copy: (databases) => session.ask(copyDatabase, { login, ...databases }),
    wait: () => session.ask(waitForLogin, { login, sql: 'SELECT 1;' }),
  }
}

export const inactive = ({ slug, status }: ServerRecord) =>
  fail('database.server_inactive', { details: { server: slug, status } })

/** Throws `database.server_inactive` unless its creation has ended (DBS-040). */
export function requireActive(server: ServerRecord): void {
  if (server.status !== 'active') throw inactive(server)
}

function passwordOf({ store: { cipher } }: AdminParts, server: ServerRecord) {
  try {
    return openRootPassword(cipher, server)
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    throw fail('database.server_inactive', {
      message: 'The stored root password of the database server cannot be read.',
      details: { server: server.slug, reason: 'password_unreadable' },
      cause: error,
    })
  }
}
