import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { type Reply, startHttpsGateway } from '@fleet/testing/https-gateway'
import { makePerson } from './run-harness.ts'

const data = (value: unknown): Reply => ({ body: { data: value, meta: { request_id: 'r' } } })
const instance = {
  id: 7,
  name: 'feature',
  project: { id: 1, slug: 'shop' },
  node: { id: 3, name: 'node-1' },
  environment: 'development',
  checkout_path: '/home/fleet/apps/shop/feature',
  selected_branch: 'feature',
  production_home: null,
  domain: 'feature.shop.test',
}
const live = { ...instance, environment: 'production', name: 'live', production_home: '/home/shop-live' }

const SCHEDULES = [
  { id: 1, name: 'backup', target_type: 'instance', target_id: 7 },
  { id: 2, name: 'other', target_type: 'instance', target_id: 8 },
  { id: 3, name: 'of-node', target_type: 'node', target_id: 7 },
]
const ENDED = '  removed  the Schedule backup; a run of it is ended'

async function scene(
  record: object,
  processes: Reply = data([{ id: 5, name: 'queue' }]),
  others: readonly object[] = [],
  databases: Reply = data([]),
) {
  const gateway = await startHttpsGateway(systemClock, ({ method, url }, { root }) => {
    if (url === '/api/v1/ca/root') return data({ root_ca: root().certificate, sha256: root().sha256 })
    if (method === 'GET' && url === '/api/v1/instances') return data([record, ...others])
    if (method === 'GET' && url === '/api/v1/instances/7') return data(record)
    if (url === '/api/v1/database-connections') return databases
    if (url === '/api/v1/projects/7/process-definitions') return data([{ name: 'queue' }])
    if (url.startsWith('/api/v1/database-connections/')) return data(record)
    if (url === '/api/v1/schedules') return data(SCHEDULES)
    return url.startsWith('/api/v1/processes') ? processes : { status: 404, body: {} }
  })
  const person = makePerson()
  await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])
  const ask = (...words: readonly string[]) => person.type(words, { isTerminal: true, typed: ['no'] })
  return {
    gateway,
    ask,
    [Symbol.asyncDispose]: async () => {
      person[Symbol.dispose]()
      await gateway[Symbol.asyncDispose]()
    },
  }
}

/** What is said before the answer to the question. */
const before = (err: string): readonly string[] => {
  const lines = err.split('\n')
  return lines.slice(
    0,
    lines.findIndex((line) => line.includes('Nothing was changed')),
  )
}

test('before an Instance is removed the question names its checkout, its domain and its Processes', async () => {
  await using at = await scene(instance)
  const { exit, err } = await at.ask('instance:destroy', 'shop/feature')
  assert.equal(exit, 2)
  const named = [
    'shop/feature on node-1 (development)',
    '  deleted  the checkout /home/fleet/apps/shop/feature of branch feature',
    '  domain   feature.shop.test no longer answers',
    '  removed  the Process queue',
    ENDED,
  ]
  assert.deepEqual(before(err), named)
  const forced = await at.ask('instance:destroy', '7', '--force')
  const lost =
    '  lost     work in it that was not committed, stashes, and commits that its origin does not have'
  assert.deepEqual(before(forced.err), named.toSpliced(2, 0, lost))
  assert.ok(at.gateway.asked.every(({ method }) => method === 'GET'))
})

test('before a forced removal the question names the linked worktrees that go too', async () => {
  const main = { ...instance, project_id: 3, node_id: 4, source_layout: 'checkout' }
  const others = [
    { ...main, id: 8, name: 'one', source_layout: 'worktree' },
    { ...main, id: 9, name: 'two', source_layout: 'worktree' },
    { ...main, id: 10, name: 'elsewhere', node_id: 5, source_layout: 'worktree' },
    { ...main, id: 11, name: 'other', project_id: 5, source_layout: 'worktree' },
    { ...main, id: 12, name: 'clone' },
  ]
  await using at = await scene(main, data([]), others)
  const line =
    '  removed  those of these Instances that are its linked worktrees, with their databases: one, two'
  assert.deepEqual(
    before((await at.ask('instance:destroy', '7', '--force')).err).filter((each) =>
      each.includes('worktree'),
    ),
    [line],
  )
  assert.ok(!(await at.ask('instance:destroy', '7')).err.includes('worktree'))
})

test('of a production Instance the question names what stays, and of a transfer what moves', async () => {
  await using production = await scene(live)
  assert.deepEqual(before((await production.ask('instance:destroy', '7')).err), [
    'shop/live on node-1 (production)',
    '  stays    releases, environment, database.sqlite and account in /home/shop-live',
    '  domain   feature.shop.test no longer answers',
    '  removed  the Process queue',
    ENDED,
  ])
  await using moved = await scene(
    { ...instance, domain: null, selected_branch: null },
    { status: 500, body: {} },
  )
  assert.deepEqual(before((await moved.ask('instance:transfer', '7', '4')).err), [
    'shop/feature on node-1 (development)',
    '  copied   the checkout /home/fleet/apps/shop/feature, and then deleted there',
  ])
})

test('before an Instance is removed the question names each database that goes, in production on servers alone', async () => {
  const file = { driver: 'sqlite', node_id: 3, server: null, database: null, owner_instance_id: null }
  const onServer = { driver: 'mysql', path: null, server: 'main', database: 'shop_live' }
  const path = '/home/fleet/apps/shop/feature/notes.sqlite'
  const databases = data([
    { ...onServer, slug: 'owned', owner_instance_id: 7 },
    { ...onServer, slug: 'of-another', owner_instance_id: 8 },
    { ...onServer, slug: 'registered', server: null, owner_instance_id: null },
    { ...file, slug: 'notes', path },
    { ...file, slug: 'beside', path: '/home/fleet/apps/shop/feature-2/notes.sqlite' },
    { ...file, slug: 'elsewhere', node_id: 4, path },
  ])
  const said = async (record: object, listed: Reply) => {
    await using at = await scene({ ...record, node_id: 3 }, data([]), [], listed)
    return before((await at.ask('instance:destroy', '7')).err).slice(2, -2)
  }
  const dropped =
    '  dropped  the database owned (shop_live on the server main), with all its data and test databases'
  assert.deepEqual(await said(instance, databases), [
    dropped,
    `  deleted  the file of the database notes, ${path}`,
  ])
  assert.deepEqual(await said({ ...live, checkout_path: instance.checkout_path }, databases), [dropped])
  assert.deepEqual(await said(live, { status: 403, body: {} }), [
    '  dropped  each database on a server that it owns: they could not be listed',
  ])
})

test('before a database is removed the question names what is dropped on its server, and that a registered one stays', async () => {
  const said = async (record: object) => {
    await using at = await scene(record)
    return before((await at.ask('database:destroy', 'shop')).err)
  }
  assert.deepEqual(await said({ server: 'main', database: 'shop', test_database: 'shop_test' }), [
    'database connection shop',
    '  dropped  the database shop on the server main, with all its data',
    '  dropped  every database there whose name begins with shop_test, unless it has a record',
    '  dropped  the users who were created in it, unless another database has them',
  ])
  assert.deepEqual(await said({ server: null, database: 'shop', test_database: null }), [
    'database connection shop',
    '  stays    the database itself',
  ])
})

test('before a Project is removed the question names its definitions and what else goes', async () => {
  await using at = await scene(instance)
  assert.deepEqual(before((await at.ask('project:destroy', '7')).err), [
    'project 7',
    '  deleted  the process definition queue, with its variables',
    '  deleted  its deploy, setup and teardown steps, and its deploy key',
  ])
})

test('before a transfer the question names each container, whose volumes stay', async () => {
  const processes = [
    { id: 5, name: 'queue', runtime: 'systemd' },
    { id: 6, name: 'git', runtime: 'docker' },
  ]
  await using at = await scene(instance, data(processes))
  assert.deepEqual(before((await at.ask('instance:transfer', '7', '4')).err).slice(3), [
    '  stopped  the Process queue, and started on the other Node',
    '  stopped  the Process git, and started on the other Node',
    '  stays    the volumes of its container: it starts there with empty ones',
  ])
})

test('what cannot be read is asked about without it', async () => {
  await using at = await scene({ error: true })
  const { exit, questions } = await at.ask('instance:destroy', '7')
  assert.equal(exit, 2)
  assert.equal(questions.length, 1)
})
