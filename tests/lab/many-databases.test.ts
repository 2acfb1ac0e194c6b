import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { isWhole } from '@fleet/testing/sample'
import type { JsonObject } from '../embedded/ask.ts'
import type { Words } from './dying.ts'
import { asRoot, onServer } from './engine-host.ts'
import { addEmptyProject, addProject, databaseOf, ownOf } from './engine-project.ts'
import {
  createServer,
  destroyServer,
  engineNode,
  ENGINES,
  type EngineWorld,
  engineWorld,
} from './engine-world.ts'
import { shareFleet } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({ name: 'many', nodes: [engineNode('many.test')] })
const withImages = engineWorld(started)

/**
 * Instances of one Project for each engine. On two cores that others used too, a whole run took 543 s for the 200 of MariaDB, 288 s for
 * the 40 of PostgreSQL and 74 s for the 40 files of SQLite.
 */
const MANY = isWhole() ? { mariadb: 200, pgsql: 40, sqlite: 40 } : { mariadb: 12, pgsql: 12, sqlite: 12 }
/** Command lines that run at once. */
const AT_ONCE = 12

/** Does the work for all names, some of them at a time. */
async function forAll<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const left = all.values()
  const worker = async (): Promise<void> => {
    for (const one of left) await work(one)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** The identical request again, while others have what it needs for longer than it waits. */
async function untilFree({ fleet }: EngineWorld, ...words: Words): Promise<void> {
  for (;;) {
    const { status, stderr } = await fleet.gateway.fleet([...words, '--json'])
    if (status === 0) return
    assert.match(stderr, /"code":"[a-z_.-]+_busy"/)
  }
}

async function idsOf(
  { fleet }: EngineWorld,
  project: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const isOf = ({ checkout_path: path }: JsonObject): boolean =>
    names.some((name) => path === `/home/fleet/apps/${project}/${name}`)
  return (await fleet.records('instance:list')).filter(isOf).map(({ id }) => String(id))
}

const slugsOf = async ({ fleet }: EngineWorld, project: string): Promise<readonly string[]> =>
  (await fleet.records('database:list'))
    .map(({ slug }) => String(slug))
    .filter((slug) => slug.startsWith(project))

interface Many {
  readonly world: EngineWorld
  readonly context: TestContext
  readonly project: string
  readonly names: readonly string[]
  /** More words of the request for one. */
  words(name: string): readonly string[]
  /** What is there while all are. */
  whole(): Promise<void>
}

/** Creates all and removes all. */
async function createAndDestroy({ world, context, project, names, words, whole }: Many): Promise<void> {
  const { host } = world
  const began = performance.now()
  const told = (what: string): void =>
    context.diagnostic(
      `${names.length} were ${what} after ${Math.round((performance.now() - began) / 1000)} s`,
    )
  await forAll(names, (name) => untilFree(world, 'instance:create', project, host.name, name, ...words(name)))
  told('created')
  await whole()
  const made = await idsOf(world, project, names)
  assert.equal(made.length, names.length)
  await forAll(made, (id) => untilFree(world, 'instance:destroy', id, '--force', '--yes'))
  told('destroyed')
  assert.deepEqual(await slugsOf(world, project), [`${project}-default`])
  const left = await host.run(['sh', '-c', `ls /run/fleet-processes /home/fleet/apps/${project}`])
  assert.doesNotMatch(left, /\bf\d|_f\d/)
}

const manyOf = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `f${at}`)

for (const engine of ENGINES)
  test(
    `${MANY[engine]} Instances with a database each on a server of ${engine} are created, cloned and destroyed at once, and nothing stays [INS-063, DBS-049]`,
    onHosts,
    async (context) => {
      const world = await withImages()
      const { fleet, host } = world
      const server = await createServer(world, engine, `${engine}-many`)
      const project = await addProject(world, context, server)
      const before = await onServer(host, server)
      const start = 'CREATE TABLE t (id int); INSERT INTO t VALUES (7);'
      await asRoot(host, server, start, databaseOf(project, 'default'))
      const names = manyOf(MANY[engine])
      const isCopy = (name: string): boolean => names.indexOf(name) % 3 !== 0
      const expected = [...before, ...names.flatMap((name) => ownOf(project, name))].toSorted()
      await createAndDestroy({
        world,
        context,
        project,
        names,
        words: (name) => (isCopy(name) ? [] : [`--database-server=${server.slug}`]),
        whole: async () => {
          assert.deepEqual(await onServer(host, server), expected)
          for (const name of names.filter(isCopy)) {
            const rows = await asRoot(host, server, 'SELECT id FROM t;', databaseOf(project, name))
            assert.deepEqual(rows, ['7'], name)
          }
        },
      })
      assert.deepEqual(await onServer(host, server), before)
      for (const id of await idsOf(world, project, ['default']))
        await fleet.record('instance:destroy', id, '--force', '--yes')
      await destroyServer(fleet, server.slug)
    },
  )

test(
  `${MANY.sqlite} Instances with a copy of a SQLite file each are created and destroyed at once, and nothing stays [INS-063, INS-065]`,
  onHosts,
  async (context) => {
    const world = await withImages()
    const { fleet, host, node } = world
    const project = await addEmptyProject(world, context, 'files')
    const apps = `/home/fleet/apps/${project}`
    const fill = 'create table t (id int); insert into t values (7)'
    const file = `${apps}/default/shop.sqlite`
    await host.run(['runuser', '-u', 'fleet', '--', 'sqlite3', file, fill])
    const slug = `${project}-default`
    await fleet.record('database:create', slug, '--driver=sqlite', `--node=${node}`, `--path=${file}`)
    const [id = ''] = await idsOf(world, project, ['default'])
    await fleet.record('instance:database:add', id, slug)
    const names = manyOf(MANY.sqlite)
    await createAndDestroy({
      world,
      context,
      project,
      names,
      words: () => [],
      whole: async () => {
        for (const name of names) {
          const asked = ['sqlite3', `${apps}/${name}/shop.sqlite`, 'select id from t'] as const
          assert.equal((await host.run(asked)).trim(), '7', name)
        }
      },
    })
    await fleet.record('instance:destroy', id, '--force', '--yes')
  },
)
