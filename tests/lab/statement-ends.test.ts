import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../../lab/wait.ts'
import { asRoot } from './engine-host.ts'
import { createServer, destroyServer, engineNode, ENGINES, engineWorld } from './engine-world.ts'
import { killGateway, requireBack } from './gateway-deaths.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({ name: 'ends', nodes: [engineNode('ends.test')] })
const withImages = engineWorld(started)

/** What somebody does while a statement runs, and within which time it is over at the server then. */
const ENDS = [
  { what: 'its time is over', strike: async () => undefined, back: async () => undefined, seconds: 45 },
  {
    what: 'its client has gone away',
    strike: ({ gateway }: InstalledFleet) =>
      gateway.host.run(['pkill', '-KILL', '-f', 'fleet database:query']),
    back: async () => undefined,
    // Well before its time.
    seconds: 15,
  },
  {
    what: 'the gateway was killed',
    strike: ({ gateway }: InstalledFleet) => killGateway(gateway.host),
    back: ({ gateway }: InstalledFleet) => requireBack(gateway.host),
    seconds: 45,
  },
  {
    what: 'the tunnel was cut',
    strike: ({ gateway }: InstalledFleet) => gateway.host.cutOff(),
    back: ({ gateway }: InstalledFleet) => gateway.host.restore(),
    seconds: 45,
  },
] as const

/** Lets a statement run for ever in each way, until nothing of it runs where the database is. */
async function endsAlways(
  fleet: InstalledFleet,
  sql: string,
  running: () => Promise<boolean>,
): Promise<void> {
  const until = (seconds: number, expected: boolean): Promise<true | undefined> =>
    waitFor(seconds, async () => ((await running()) === expected ? true : undefined))
  for (const { what, strike, back, seconds } of ENDS) {
    const request = fleet.gateway.host.attempt(['fleet', 'database:query', 'endless', sql, '--json'])
    assert.equal(await until(30, true), true, `it never ran before ${what}`)
    await strike(fleet)
    assert.equal(await until(seconds, false), true, `it runs after ${what}`)
    await back(fleet)
    const { status, stderr } = await request
    assert.notEqual(status, 0, what)
    if (what === 'its time is over') assert.match(stderr, /"code":"database.query_failed".*"reason":"time"/)
  }
}

for (const engine of ENGINES)
  test(
    `a statement on ${engine} that runs for ever ends at the server at its time, with its client, and without its gateway or its tunnel`,
    onHosts,
    async () => {
      const world = await withImages()
      const { fleet, host } = world
      const server = await createServer(world, engine, `${engine}-endless`)
      await fleet.record('database:create', 'endless', `--server=${server.slug}`)
      await asRoot(host, server, 'CREATE TABLE t (id int);', 'endless')
      if (engine === 'pgsql') await asRoot(host, server, 'GRANT SELECT ON t TO PUBLIC;', 'endless')
      const rows = Array.from({ length: 1000 }, (_, at) => `(${at})`).join()
      await asRoot(host, server, `INSERT INTO t VALUES ${rows};`, 'endless')
      const list =
        engine === 'pgsql'
          ? "SELECT pid FROM pg_stat_activity WHERE datname = 'endless' AND state = 'active';"
          : "SELECT id FROM information_schema.processlist WHERE db = 'endless' AND command = 'Query';"
      const running = async (): Promise<boolean> => (await asRoot(host, server, list)).length > 0
      await endsAlways(fleet, 'select count(*) from t a, t b, t c, t d', running)
      await fleet.record('database:destroy', 'endless', '--yes')
      await destroyServer(fleet, server.slug)
    },
  )

test(
  'a statement on a SQLite file that runs for ever ends on its Node at its time, with its client, and without its gateway or its tunnel',
  onHosts,
  async () => {
    const { fleet, host, node } = await withImages()
    await host.run(['sqlite3', '/srv/endless.sqlite', 'create table t (id int)'])
    await host.run(['chown', 'fleet:fleet', '/srv/endless.sqlite'])
    await fleet.record(
      'database:create',
      'endless',
      '--driver=sqlite',
      `--node=${node}`,
      '--path=/srv/endless.sqlite',
    )
    const running = async (): Promise<boolean> =>
      (await host.attempt(['pgrep', '-f', 'node-sqlite'])).status === 0
    const sql = 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n'
    await endsAlways(fleet, sql, running)
    await fleet.record('database:destroy', 'endless', '--yes')
  },
)
