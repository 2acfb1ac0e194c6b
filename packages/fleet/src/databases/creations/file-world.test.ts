import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
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
