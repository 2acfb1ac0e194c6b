import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { type HttpsGateway, type Reply, startHttpsGateway } from '@fleet/testing/https-gateway'
import type { FakeTerminalOptions } from '#/fake-terminal.ts'
import { type Ended, makePerson } from '#/run-harness.ts'
import { readTree } from '#/tree.ts'

const PATH = '/api/v1/routes/4/target'
const envelope = (data: unknown): Reply => ({ body: { data, meta: { request_id: 'x' } } })
const instance = (id: number, name: string) => ({ id, name, project: { id: 1, slug: 'shop' } })
const route = { id: 4, domain: 'shop.test', targets: [], upstream: null, process_id: null }
const answers: Readonly<Record<string, Reply>> = {
  'GET /api/v1/instances': envelope([instance(7, 'one'), instance(8, 'two'), instance(9, 'old')]),
  'GET /api/v1/routes': envelope([
    { id: 4, domain: 'shop.test' },
    { id: 5, domain: 'other.test' },
  ]),
  [`PUT ${PATH}`]: envelope(route),
}

interface Scene extends AsyncDisposable {
  readonly gateway: HttpsGateway
  type(line: string, terminal?: FakeTerminalOptions): Promise<Ended>
  /** Bodies of the requests that set targets. */
  bodies(): readonly unknown[]
}

async function scene(): Promise<Scene> {
  const gateway = await startHttpsGateway(systemClock, ({ method, url }, { root }) =>
    url === '/api/v1/ca/root'
      ? envelope({ root_ca: root().certificate, sha256: root().sha256 })
      : (answers[`${method} ${url}`] ?? { status: 404, body: { error: { code: 'http.404', message: '-' } } }),
  )
  const person = makePerson()
  const type: Scene['type'] = (line, terminal) => person.type(line.split(' '), terminal)
  await type(`gateway:add office ${gateway.url} --accept-new`)
  return {
    gateway,
    type,
    bodies: () => gateway.asked.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body)),
    async [Symbol.asyncDispose]() {
      person[Symbol.dispose]()
      await gateway[Symbol.asyncDispose]()
    },
  }
}

test('without an option the one Instance is sent, by name or id', async () => {
  await using at = await scene()
  for (const line of ['shop.test shop/one', '4 7']) {
    const { exit, err } = await at.type(`route:target:set ${line}`)
    assert.equal(exit, 0, err)
  }
  assert.deepEqual(at.bodies(), [{ instance_id: 7 }, { instance_id: 7 }])
})

test('a set keeps the order of its words, the argument first, and names what becomes of who leaves', async () => {
  await using at = await scene()
  const lines = [
    'shop.test --targets two --targets shop/one',
    'shop.test two --targets 7 --reassign shop/old:other.test',
    'shop.test shop/one --remove two --remove 9 --yes',
    '4 --reassign 8:5 --targets=7 --remove old --yes --json',
  ]
  for (const line of lines) {
    const { exit, err } = await at.type(`route:target:set ${line}`)
    assert.equal(exit, 0, err)
  }
  assert.deepEqual(at.bodies(), [
    { targets: [8, 7] },
    { targets: [8, 7], dispositions: [{ instance_id: 9, route_id: 5 }] },
    {
      targets: [7],
      dispositions: [
        { instance_id: 8, remove: true },
        { instance_id: 9, remove: true },
      ],
    },
    {
      targets: [7],
      dispositions: [
        { instance_id: 8, route_id: 5 },
        { instance_id: 9, remove: true },
      ],
    },
  ])
})

test('Instances are removed only after a yes, which names them', async () => {
  await using at = await scene()
  const line = 'route:target:set shop.test shop/one --remove shop/old'
  const unasked = await at.type(`${line} --json`)
  assert.equal(unasked.exit, 2)
  assert.match(unasked.err, /"code":"input\.confirmation_required"/)
  const no = await at.type(line, { isTerminal: true, typed: ['n'] })
  assert.equal(no.exit, 2)
  assert.match(no.err, /At the end these Instances are removed, with their releases: shop\/old\./)
  assert.deepEqual(no.questions, [
    'Set the Instances that a Route leads to: route shop.test, instance shop/one. Continue? [y/N] ',
  ])
  assert.deepEqual(at.bodies(), [])
  assert.equal((await at.type(line, { isTerminal: true, typed: ['y'] })).exit, 0)
  assert.equal(at.bodies().length, 1)
})

test('a removal and a clearing of a Route that nobody confirms end at the client, with codes that no gateway has [RTX-016]', async () => {
  await using at = await scene()
  const before = at.gateway.asked.filter(({ method }) => method === 'DELETE').length
  for (const line of ['route:destroy 4', 'route:target:unset 4']) {
    const unasked = await at.type(`${line} --json`)
    assert.match(unasked.err, /"code":"input\.confirmation_required"/)
    const no = await at.type(line, { isTerminal: true, typed: ['n'] })
    assert.match(no.err, /^input\.cancelled {2}/)
    const { errors } = readTree()
    for (const code of ['input.cancelled', 'input.confirmation_required'])
      assert.ok(!Object.hasOwn(errors, code))
  }
  assert.equal(at.gateway.asked.filter(({ method }) => method === 'DELETE').length, before)
})

test('what cannot be understood is refused before the gateway hears of it', async () => {
  await using at = await scene()
  const before = at.gateway.asked.length
  const refused: ReadonlyArray<readonly [string, RegExp]> = [
    ['shop.test --reassign old:other.test', /Nothing says which Instances are to serve the Route/],
    ['shop.test one --reassign old', /--reassign takes INSTANCE:ROUTE, .*not "old"/],
    ['shop.test one --reassign old:', /--reassign takes INSTANCE:ROUTE/],
    ['shop.test one --reassign a:b:c', /--reassign takes INSTANCE:ROUTE/],
    ['shop.test one --dispositions []', /Unknown option: --dispositions/],
    ['--targets one', /Argument ROUTE is missing/],
  ]
  for (const [line, message] of refused) {
    const { exit, err } = await at.type(`route:target:set ${line}`)
    assert.equal(exit, 2, line)
    assert.match(err, message)
  }
  assert.equal(at.gateway.asked.length, before)
})

test('a name that no record has is said with its neighbour, and nothing is set', async () => {
  await using at = await scene()
  const { exit, err } = await at.type('route:target:set shop.test one --reassign shop/old:othr.test')
  assert.equal(exit, 2)
  assert.match(err, /There is no Route named othr\.test that you can access/)
  assert.match(err, /Did you mean other\.test\?/)
  assert.deepEqual(at.bodies(), [])
})
