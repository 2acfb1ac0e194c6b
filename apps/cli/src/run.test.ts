import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { type HttpsGateway, type Reply, startHttpsGateway } from '@fleet/testing/https-gateway'
import { type Ended, makePerson } from './run-harness.ts'
import type { FakeTerminalOptions } from './fake-terminal.ts'

const ID = '00000000-0000-4000-8000-000000000001'
const REQUEST = '0f8fad5b-d9cb-469f-a165-70867728950e'
const envelope = (data: unknown, status = 200): Reply => ({
  status,
  body: { data, meta: { request_id: ID } },
})
const instances = [
  { id: 7, name: 'default', project: { id: 1, slug: 'shop', name: 'Shop', type: 'monorepo' } },
]

interface Scene extends AsyncDisposable {
  readonly gateway: HttpsGateway
  type(line: string, terminal?: FakeTerminalOptions): Promise<Ended>
}

/** A person who has added a gateway that answers by method and path. */
async function scene(answers: Readonly<Record<string, Reply | Promise<Reply>>>): Promise<Scene> {
  const gateway = await startHttpsGateway(systemClock, ({ method, url }, { root }) => {
    const known: Readonly<Record<string, Reply | Promise<Reply>>> = {
      'GET /api/v1/ca/root': envelope({ root_ca: root().certificate, sha256: root().sha256 }),
      'GET /api/v1/instances': envelope(instances),
      ...answers,
    }
    return (
      known[`${method} ${url}`] ?? {
        status: 404,
        body: { error: { code: 'http.404', message: 'No such path.' } },
      }
    )
  })
  const person = makePerson()
  const type = (line: string, terminal?: FakeTerminalOptions): Promise<Ended> =>
    person.type(line.split(' '), terminal)
  await type(`gateway:add office ${gateway.url} --accept-new`)
  return {
    gateway,
    type,
    async [Symbol.asyncDispose]() {
      person[Symbol.dispose]()
      await gateway[Symbol.asyncDispose]()
    },
  }
}

test('a change goes out once, with its members in path and body', async () => {
  const result = { instance_id: 7, operation: 'update', changed: true, key_count: 3 }
  await using at = await scene({ 'PUT /api/v1/instances/7/environment/APP_NAME': envelope(result) })
  const { exit, out, err } = await at.type(`env:update shop/default APP_NAME --request-id ${REQUEST}`, {
    input: 'Shop "1"\n',
  })
  assert.equal(exit, 0, err)
  assert.equal(out, 'Stored. The stored configuration has 3 keys.\n')
  const sent = at.gateway.asked.filter(({ method }) => method === 'PUT')
  assert.deepEqual(
    sent.map(({ body }) => body),
    ['{"value":"Shop \\"1\\""}'],
  )
  assert.equal(sent[0]?.headers['x-fleet-request-id'], REQUEST)
  assert.equal(sent[0]?.headers['x-fleet-client'], 'fleet-cli')
  assert.ok(!(out + err).includes('Shop'))
})

test('lists, records and errors name a Node by its name, and as JSON by its id', async () => {
  const nodes = [{ id: 3, name: 'web-1' }]
  const database = { slug: 'shop', driver: 'sqlite', node_id: 3, id: 2 }
  const error = { code: 'database.slug_taken', message: 'Taken.', details: { node_id: 3 } }
  await using at = await scene({
    'GET /api/v1/nodes': envelope(nodes),
    'GET /api/v1/database-connections': envelope([database]),
    'GET /api/v1/database-connections/shop': envelope(database),
    'DELETE /api/v1/database-connections/shop': { status: 409, body: { error } },
  })
  const list = await at.type('database:list')
  assert.equal(list.out, 'SLUG  DRIVER  NODE   ID\nshop  sqlite  web-1  2\n')
  const record = await at.type('database:show shop')
  assert.match(record.out, /^node_id {2}web-1 \(3\)$/m)
  const refused = await at.type('database:destroy shop --yes')
  assert.match(refused.err, /^ {2}node_id +web-1 \(3\)$/m)
  for (const line of ['database:list', 'database:show shop'])
    assert.match((await at.type(`${line} --json`)).out, /"node_id":3/)
  assert.match((await at.type('database:destroy shop --yes --json')).err, /"node_id":3/)
})

test('an argument that was no UTF-8 is refused, and nothing is sent', async () => {
  await using at = await scene({})
  const before = at.gateway.asked.length
  const { exit, err } = await at.type('env:update shop/default APP_\uFFFD', { input: 'x' })
  assert.equal(exit, 2)
  assert.match(err, /not UTF-8/)
  assert.equal(at.gateway.asked.length, before)
})

test('with --json the answer is printed unchanged', async () => {
  const body = '{ "data": [] , "meta": {"request_id":"x"} }'
  await using at = await scene({ 'GET /api/v1/nodes': { body } })
  assert.deepEqual(await at.type('node:list --json'), { exit: 0, out: `${body}\n`, err: '', questions: [] })
})

test('with --json a refusal is printed unchanged on standard error', async () => {
  const body = '{"error":{"code":"peer.identity_unknown","message":"Unknown."}}'
  await using at = await scene({ 'GET /api/v1/nodes': { status: 403, body } })
  assert.deepEqual(await at.type('node:list --json'), { exit: 1, out: '', err: `${body}\n`, questions: [] })
})

test('a redirect of the gateway is not followed [GW-003]', async () => {
  await using at = await scene({
    'GET /api/v1/nodes': { status: 307, headers: { location: '/api/v1/projects' }, body: '' },
    'GET /api/v1/projects': envelope([]),
  })
  const { exit, err } = await at.type('node:list')
  assert.equal(exit, 3)
  assert.match(err, /redirect/)
  assert.ok(at.gateway.asked.every(({ url }) => url !== '/api/v1/projects'))
})

test('without a terminal and a yes the client refuses to destroy a Cluster, and sends nothing [CLU-043]', async () => {
  await using at = await scene({ 'DELETE /api/v1/clusters/7': envelope({ id: 7 }) })
  const { exit, err } = await at.type('cluster:destroy 7 --json')
  assert.equal(exit, 2)
  assert.match(err, /"code":"cluster\.confirmation_required"/)
  assert.ok(at.gateway.asked.every(({ method }) => method !== 'DELETE'))
})

test('without a terminal and a yes the client refuses to move an Instance, and sends nothing; with a yes the request goes out [INS-101]', async () => {
  const path = 'POST /api/v1/instances/7/transfer'
  await using at = await scene({ [path]: envelope({ id: 7 }) })
  const sent = () => at.gateway.asked.filter(({ method }) => method === 'POST').map(({ body }) => body)
  const { exit, err } = await at.type('instance:transfer 7 3 --json')
  assert.deepEqual([exit, JSON.parse(err).error.code], [2, 'instance.confirmation_required'])
  assert.deepEqual(sent(), [])
  assert.equal((await at.type('instance:transfer 7 3 --json --yes')).exit, 0)
  assert.deepEqual(sent(), ['{"node_id":3}'])
})

test('something is destroyed only after a yes', async () => {
  await using at = await scene({
    'DELETE /api/v1/instances/7?force=true': envelope({ id: 7, status: 'completed' }),
  })
  const destroyed = (): number => at.gateway.asked.filter(({ method }) => method === 'DELETE').length
  const line = 'instance:destroy shop/default --force'
  const no = await at.type(line, { isTerminal: true, typed: ['n'] })
  assert.equal(no.exit, 2)
  assert.deepEqual(no.questions, [
    'Remove an Instance and its checkout: instance shop/default. Continue? [y/N] ',
  ])
  assert.equal((await at.type(line)).exit, 2)
  assert.equal(destroyed(), 0)
  assert.equal((await at.type(line, { isTerminal: true, typed: ['y'] })).exit, 0)
  assert.equal((await at.type(`${line} --yes`)).exit, 0)
  assert.equal(destroyed(), 2)
})

test('what cannot be asked is refused before the gateway hears of it', async () => {
  await using at = await scene({})
  const before = at.gateway.asked.length
  assert.equal((await at.type('instance:destroy shop/default')).exit, 2)
  assert.equal((await at.type('node:show')).exit, 2)
  assert.equal((await at.type('env:update 7 A')).exit, 2)
  assert.equal(at.gateway.asked.length, before)
})

test('requests come from the address that was asked for', async () => {
  await using at = await scene({ 'GET /api/v1/nodes': envelope([]) })
  assert.equal((await at.type('node:list --from 127.0.0.2')).exit, 0)
  assert.equal(at.gateway.asked.at(-1)?.address, '127.0.0.2')
})

test('a gateway that does not answer in time is given up', async () => {
  await using at = await scene({ 'GET /api/v1/nodes': envelope([]) })
  const { exit, err } = await at.type('node:list --timeout 0.001')
  assert.equal(exit, 3)
  assert.match(err, /did not answer in time/)
})

test('what was never sent, or only read, is to be run again; a change whose answer is late is to be looked for', async () => {
  const late = new Promise<Reply>(() => undefined)
  const next = async (line: string, answers: Readonly<Record<string, Reply | Promise<Reply>>>) => {
    await using at = await scene(answers)
    const { err } = await at.type(`${line} --timeout 0.3 --request-id ${REQUEST}`)
    return / next +(.*)\n/.exec(err)?.[1] ?? err
  }
  const PATH = 'POST /api/v1/database-connections/shop/query'
  const nothing = 'Nothing was changed. Run the command again.'
  assert.equal(await next('env:sync shop/default', { 'GET /api/v1/instances': late }), nothing)
  assert.equal(await next('database:query shop select', { [PATH]: late }), nothing)
  assert.match(
    await next('database:query shop insert --write', { [PATH]: late }),
    new RegExp(`--request-id ${REQUEST} shows it; the same command again may do it once more`),
  )
  assert.match(
    await next('instance:setup 7', { 'POST /api/v1/instances/7/setup': late }),
    /the same command again resumes/,
  )
})

test('Doctor ends with status 1 unless everything is healthy, and its report is the answer all the same', async () => {
  const summary = { nodes: 1, checks: 3, drift: 0, unverifiable: 0 }
  for (const [healthy, status] of [
    [true, 0],
    [false, 1],
  ] as const) {
    const report = { healthy, summary, nodes: [] }
    await using at = await scene({ 'POST /api/v1/doctor': envelope(report) })
    const json = await at.type('doctor --json')
    assert.deepEqual([json.exit, JSON.parse(json.out).data, json.err], [status, report, ''])
    assert.equal((await at.type('doctor:run')).exit, status)
  }
})

test('route:create ends with status 1 for a Route that an earlier request left failed, which is its answer all the same', async () => {
  for (const [status, exit] of [
    ['failed', 1],
    ['active', 0],
  ] as const) {
    const route = { id: 45, status, domain: 'full.test' }
    await using at = await scene({ 'POST /api/v1/routes': envelope(route) })
    const created = await at.type('route:create full.test --node 1 --upstream http://127.0.0.1:8025 --json')
    assert.deepEqual([created.exit, JSON.parse(created.out).data, created.err], [exit, route, ''])
  }
})

test('help needs no gateway', async () => {
  using person = makePerson()
  for (const words of [
    [],
    ['help'],
    ['--help'],
    ['node'],
    ['schedule'],
    ['help', 'node'],
    ['node:show', '--help'],
    ['help', 'gateway:add'],
    ['completion', 'bash'],
    ['--version'],
  ]) {
    const { exit, out, err } = await person.type(words)
    assert.deepEqual({ exit, err }, { exit: 0, err: '' }, words.join(' '))
    assert.ok(out.length > 10)
  }
})

test('what a command lacks is said before a secret is asked for or read', async () => {
  await using at = await scene({})
  for (const terminal of [{ input: '' }, { isTerminal: true, typed: ['secret'] }]) {
    const { exit, err, questions } = await at.type('env:update shop/default', terminal)
    assert.deepEqual([exit, questions], [2, []])
    assert.equal(
      err,
      'Argument KEY is missing.\n  usage  fleet env:update INSTANCE KEY [VALUE]\n  next   fleet help env:update\n',
    )
  }
})

test('a family with a word that is no option is a command that does not exist, and nothing is done', async () => {
  using person = makePerson()
  for (const [line, next] of [
    ['instance destroy shop/default', 'Did you mean instance:destroy?'],
    ['--json node show web-1', 'Unknown command: node show.'],
    ['instance destory x', 'Did you mean instance:destroy'],
    ['instance qqqqqqqq', 'fleet help instance shows the commands of this family.'],
  ] as const) {
    const { exit, out, err } = await person.type(line.split(' '))
    assert.deepEqual([exit, out], [2, ''], line)
    assert.ok(err.includes(next), err)
  }
  for (const line of ['instance', 'instance --help'])
    assert.equal((await person.type(line.split(' '))).exit, 0)
})

test('a feed of no event is refused before anything is asked', async () => {
  using person = makePerson()
  const { exit, err } = await person.type(['feed', '--count', '0'])
  assert.deepEqual([exit, err.includes('--count must be at least 1')], [2, true])
})
