import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { addGrant, addNode } from '@fleet/testing'
import { startCreationWorld } from '#/databases/creations/world.test.ts'

/** A world whose Instance `default` uses a SQLite file in its checkout as `DB`. */
export async function startWithFile() {
  const world = await startCreationWorld()
  const { apps, node } = world.fleet
  const { id } = await world.create({ name: 'default' })
  const file = (name: string): string => join(apps, 'app', name, 'data', 'shop.sqlite')
  mkdirSync(join(apps, 'app', 'default', 'data'))
  const database = new DatabaseSync(file('default'))
  database.exec(
    'PRAGMA journal_mode = wal; CREATE TABLE t (id INTEGER PRIMARY KEY, pair INTEGER); INSERT INTO t (pair) VALUES (0), (0)',
  )
  database.close()
  const { handlers } = world.domains.databases
  const attach = async (path: string, slug = 'lite', nodeId: number | null = node.id): Promise<void> => {
    const connection = {
      slug,
      driver: 'sqlite' as const,
      path,
      ...(nodeId === null ? {} : { node_id: nodeId }),
    }
    await handlers['database:create']({ call: world.call(), input: connection })
    await handlers['instance:database:add']({
      call: world.call(),
      input: { instance: id, slug, prefix: 'DB' },
    })
  }
  return { world, file, attach, defaultId: id }
}

/** The same, with another Node on which the Instances of the test are made. */
export async function startAcross() {
  const { world, file, attach } = await startWithFile()
  await attach(file('default'))
  const { store, home, node } = world.fleet
  const apps = join(home, 'elsewhere')
  const user = userInfo().username
  const other = await addNode(store, { user, user_home: home, apps_path: apps, roles: ['app-dev'] })
  await addGrant(store, node, other)
  return {
    world,
    other,
    source: file('default'),
    copy: (name: string): string => join(apps, 'app', name, 'data', 'shop.sqlite'),
    folder: join(apps, 'app'),
    create: (name: string, domains = world.domains, call = world.call()) =>
      world.create({ name, node_id: other.id }, call, domains),
  }
}

/** How many rows a sound copy has. */
export function rowsIn(path: string): unknown {
  using database = new DatabaseSync(path)
  assert.equal(Object.values(database.prepare('PRAGMA integrity_check').get() ?? {})[0], 'ok')
  return Object.values(database.prepare('SELECT count(*) FROM t').get() ?? {})[0]
}

// Each transaction adds a pair of rows: a copy of one moment has no odd one.
const WRITER = `
import { DatabaseSync } from 'node:sqlite'
const database = new DatabaseSync(process.argv[1], { timeout: 60000 })
const add = database.prepare('INSERT INTO t (pair) VALUES (?), (?)')
process.stdout.write('writing')
for (let pair = 1; ; pair += 1) add.run(pair, pair)`

/** Does the work while another process writes pairs of rows. */
export async function whileWriting(path: string, work: () => Promise<void>): Promise<void> {
  const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, '--', path], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    await once(writer.stdout, 'data')
    await work()
  } finally {
    writer.kill('SIGKILL')
    await once(writer, 'exit')
  }
}
