// Where a package is, over 10,000 Instances with 1,000 packages each, beside the plain lookup of the same rows.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemClock, systemIds } from '@fleet/kernel'
import { openStore, type Store } from '@fleet/store'
import {
  addGrant,
  addInstance,
  addNode,
  addProject,
  asCaller,
  fakeCall,
  TEST_APP_KEY,
  testDomains,
} from '@fleet/testing'
import { type Measure, measure, median, sideBySide } from './measure.ts'

const INSTANCES = 10_000
const PACKAGES = 1000
/** Of each package; an Instance has one of them. */
const VERSIONS = 5
const NODES = 100
const RUNS = 30

export async function* run(): AsyncGenerator<Measure> {
  const home = mkdtempSync(join(tmpdir(), 'fleet-bench-'))
  const file = join(home, 'gateway.sqlite')
  try {
    await using store = await openStore({
      file,
      key: TEST_APP_KEY,
      clock: systemClock,
      ids: systemIds,
      gatewayId: 'bench',
    })
    const gateway = await addNode(store, { name: 'gateway', roles: ['gateway'] })
    await addFleet(store, gateway)
    const before = statSync(file).size
    addInventories(file)
    const bytes = statSync(file).size - before
    yield* lookups(store, file, asCaller(gateway))
    yield measure('dependency-rows', 'KB per Instance', bytes / INSTANCES / 1000, 'packages', PACKAGES)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function addFleet(store: Store, gateway: { readonly id: number }): Promise<void> {
  const project = await addProject(store)
  for (let at = 0; at < NODES; at += 1) {
    const node = await addNode(store)
    await addGrant(store, gateway, node)
    const { id: _id, ...instance } = await addInstance(store, { project_id: project.id, node_id: node.id })
    const { profile, name, checkout_path: path } = instance
    // One statement for the others of the Node: a commit for each would take minutes.
    const others = Array.from({ length: INSTANCES / NODES - 1 }, (_, other) => ({
      ...instance,
      profile,
      name: `${name}-${other}`,
      checkout_path: `${path}-${other}`,
    }))
    await store.db.insertInto('instances').values(others).execute()
  }
}

/** Rows as scans store them: chains of ten packages, each Instance with versions of its own. */
function addInventories(file: string): void {
  using db = new DatabaseSync(file)
  db.exec('pragma synchronous = off; begin')
  const add = {
    package: db.prepare(
      'insert into dependency_packages (ecosystem, name, version, digest) values (?, ?, ?, ?)',
    ),
    observation: db.prepare(
      "insert into dependency_observations (instance_id, ecosystem, observed_at, project_root, file_hashes, format, graph_digest) values (?, 'npm', '2026-01-01T00:00:00.000Z', '/', '{}', 'npm-3', 'x')",
    ),
    resolution: db.prepare('insert into dependency_resolutions values (?, ?, ?, 1, 0, ?)'),
  }
  for (let at = 0; at < PACKAGES; at += 1)
    for (let version = 0; version < VERSIONS; version += 1)
      add.package.run('npm', `package-${at}`, `1.${version}.0`, `${at}.${version}`)
  const ids = db
    .prepare('select id from instances')
    .all()
    .map(({ id }) => Number(id))
  for (const [number, instance] of ids.entries()) {
    const observation = Number(add.observation.run(instance).lastInsertRowid)
    for (let at = 0; at < PACKAGES; at += 1) {
      const version = (number * 7 + at * 3) % VERSIONS
      add.resolution.run(observation, at, at * VERSIONS + version + 1, at % 10 === 0 ? -1 : at - 1)
    }
  }
  db.exec('commit; analyze')
}

async function* lookups(
  store: Store,
  file: string,
  caller: ReturnType<typeof asCaller>,
): AsyncGenerator<Measure> {
  const handler = testDomains({ store }).dependencies.handlers['dependency:where']
  using plain = new DatabaseSync(file, { readOnly: true })
  for (const [name, limit] of [
    ['dependency-where', 100],
    ['dependency-where-thousand', 1000],
  ] as const) {
    const input = { package: 'package-507', range: '>=1.1.0', limit }
    const lookup = plain.prepare(
      'select o.instance_id, p.version from dependency_packages p join dependency_resolutions r on r.package_id = p.id join dependency_observations o on o.id = r.observation_id where p.ecosystem = ? and p.name = ?',
    )
    const { ours, theirs } = await sideBySide(
      RUNS,
      async () => {
        const { data } = await handler({ call: fakeCall({ caller }), input })
        if (data.holders.length !== limit || data.holders[0]?.path.length !== 8) throw new Error('wrong')
      },
      async () => {
        if (lookup.all('npm', 'package-507').length !== INSTANCES) throw new Error('wrong')
      },
    )
    yield measure(name, 'ms', median(ours), 'a plain SQL lookup of all 10,000 rows', median(theirs))
  }
}
