import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { CodedError, systemClock } from '@fleet/kernel'
import type { Command } from '@fleet/shell'
import type { CommandResult, SshPool } from '@fleet/ssh'
import type { DialectName } from '@fleet/store'
import {
  addNode,
  addProcess,
  addProject,
  answerText,
  asCaller,
  checkoutPool,
  fakeCall,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import { insertServer, updateServer } from '#/databases/servers/queries.ts'
import { sealRootPassword } from '#/databases/servers/root-password.ts'

/** One MySQL in memory: every database with its rows, and every user with what it reaches. */
class Engine {
  readonly databases = new Map<string, string>()
  readonly users = new Map<string, Set<string>>()

  /** All that it has. */
  holds(): readonly string[] {
    return [
      ...[...this.databases].map(([name, rows]) => `database ${name}: ${rows}`),
      ...[...this.users].map(([name, reached]) => `user ${name}: ${[...reached].toSorted().join(' ')}`),
    ].toSorted()
  }

  run(sql: string): string {
    return sql
      .split('\n')
      .flatMap((line) => this.#statement(line))
      .join('\n')
  }

  copy(from: string, to: string): void {
    assert.equal(this.databases.get(to), '', `${to} is no empty database`)
    this.databases.set(to, this.databases.get(from) ?? assert.fail(`there is no database ${from}`))
  }

  #statement(line: string): readonly string[] {
    const [, name = ''] = /`(\w+)`/.exec(line) ?? []
    const [, user = ''] = /(?:user = |TO |EXISTS |\bUSER IF (?:NOT )?EXISTS ')'(\w+)'/.exec(line) ?? []
    if (line.startsWith('CREATE DATABASE')) this.databases.set(name, this.databases.get(name) ?? '')
    if (line.startsWith('DROP DATABASE')) this.databases.delete(name)
    if (line.startsWith('DROP USER')) this.users.delete(user)
    if (line.startsWith("SET @fleet = CONCAT('CREATE USER")) this.users.set(user, new Set())
    if (line.startsWith('GRANT ')) this.#reachedBy(user).add(/ON `(\S+)`/.exec(line)?.[1] ?? '')
    if (line.startsWith("SELECT CONCAT('database "))
      return this.#named(line).map((each) => `database ${each}`)
    if (line.startsWith('SELECT schema_name')) return this.#named(line)
    if (line.startsWith("SELECT DISTINCT CONCAT('user ")) return this.users.has(user) ? [`user ${user}`] : []
    return []
  }

  #reachedBy(user: string): Set<string> {
    return this.users.get(user) ?? assert.fail(`there is no user ${user}`)
  }

  #named(line: string): readonly string[] {
    const [, name = ''] = /schema_name = '(\w+)'/.exec(line) ?? []
    const [, pattern] = /LIKE '(\S+)%'/.exec(line) ?? []
    const begin = pattern?.replaceAll(String.raw`\_`, '_')
    return [...this.databases.keys()].filter(
      (each) => each === name || (begin !== undefined && each.startsWith(begin)),
    )
  }
}

const said = (fields: Readonly<Record<string, string>>): CommandResult => ({
  exitCode: 0,
  signal: null,
  stdout: Buffer.from(answerText(fields)),
  stderr: Buffer.alloc(0),
})

/** A Node in memory: its checkouts, their environment files, and the server. */
function machine() {
  const engine = new Engine()
  const files = new Map<string, string>()
  const checkouts = checkoutPool()
  const answer = ({ shown, stdin }: Command): CommandResult | undefined => {
    const given = stdin?.reveal() ?? ''
    const [, title = '', rest = ''] = /script '([^']+)' (.*)$/s.exec(shown) ?? []
    const words = rest.split(' ')
    const file = words.slice(1, 4).join('/')
    switch (title) {
      case 'run statements on a database server':
        return said({ rows: engine.run(given) })
      case 'end what is still copied into a database':
        return said({ ended: 'yes' })
      case 'copy a database on its server':
        engine.copy(words[3] ?? '', words[4] ?? '')
        return said({ copied: 'yes' })
      case 'check the environment file':
      case 'read the environment file':
      case 'check the testing environment file': {
        const content = files.get(file)
        return said(content === undefined ? { file: 'missing' } : { file: 'private', content })
      }
      case 'write the environment file':
        files.set(file, given.slice(given.indexOf('\n') + 1))
        return said({ written: 'yes' })
      default:
        return undefined
    }
  }
  const pool: SshPool = {
    ...checkouts,
    run: async (target, command, options) => {
      // Every other request goes on meanwhile.
      await turn()
      return answer(command) ?? checkouts.run(target, command, options)
    },
  }
  return { pool, engine }
}

/** The identical request again and again, while others have what it needs for longer than it waits. */
async function untilFree<T>(request: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof CodedError && error.retry === 'wait')) throw error
    }
}

/** A Project whose Instances have their databases on one server. */
export async function startManyWorld(dialect: DialectName) {
  const store = await openTestStore({ dialect })
  const { db, cipher } = store
  const { pool, engine } = machine()
  const node = await addNode(store, { user: 'fleet', roles: ['app-dev'] })
  const repository_url = 'https://example.com/app.git'
  const project = await addProject(store, { slug: 'shop', type: 'node-package', repository_url })
  const created_at = '2026-01-01T00:00:00.000Z'
  const process = await addProcess(
    { db },
    {
      node_id: node.id,
      name: 'main',
      runtime: 'docker',
      runtime_config: { command: [], preset: null },
      restart_policy: 'unless-stopped',
      desired_state: 'running',
    },
  )
  const placed = {
    node_id: node.id,
    process_id: process.id,
    engine: 'mysql',
    tag: '8.4',
    port: 3306,
  } as const
  const server = await insertServer(db, { slug: 'main', ...placed, status: 'active', created_at })
  assert.ok(server)
  await updateServer(db, server.id, { root_password: sealRootPassword(cipher, server.id, 'canary-root') })
  const { handlers } = testDomains({ store, ssh: pool, clock: systemClock }).instances
  const call = () => fakeCall({ caller: asCaller(node, true) })
  return {
    store,
    engine,
    create: async (name: string, given: { readonly database_server?: string } = {}) => {
      const input = { project_id: project.id, node_id: node.id, name, branch: 'main', ...given }
      return (await untilFree(() => handlers['instance:create']({ call: call(), input }))).data
    },
    destroy: (instance: number) =>
      untilFree(() => handlers['instance:destroy']({ call: call(), input: { instance, force: true } })),
    /** Names of Instances, slugs of databases, what Instances have attached, and what else stays in a table of databases. */
    records: async () => ({
      instances: (await db.selectFrom('instances').select('name').orderBy('name').execute()).map(
        ({ name }) => name,
      ),
      databases: (await db.selectFrom('database_connections').select('slug').orderBy('slug').execute()).map(
        ({ slug }) => slug,
      ),
      attached: (await db.selectFrom('database_attachments').select('slug').orderBy('slug').execute()).map(
        ({ slug }) => slug,
      ),
      residues: (await db.selectFrom('database_residues').selectAll().execute()).length,
      locks: (await db.selectFrom('locks').selectAll().execute()).length,
    }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}
