import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { type HttpsGateway, type Reply, startHttpsGateway } from '@fleet/testing/https-gateway'
import { EXIT } from '#/exit.ts'
import { makePerson, type Person } from '#/run-harness.ts'

const ID = '00000000-0000-4000-8000-000000000001'
const data = (value: unknown): Reply => ({ status: 200, body: { data: value, meta: { request_id: ID } } })

const project = { id: 1, slug: 'shop', name: 'Shop', type: 'monorepo' }
const served = { id: 7, name: 'default', project, domain: 'shop.test', url: 'https://shop.test' }
const plain = { id: 8, name: 'next', project, domain: null, url: null }

interface Scene extends AsyncDisposable {
  readonly person: Person
  readonly gateway: HttpsGateway
  /** What a browser was asked to open. */
  readonly opened: readonly string[]
}

async function scene({
  hasBrowser = true,
  url = served.url,
  routes = undefined as readonly object[] | undefined, // As its type says: none can be read by default.
} = {}): Promise<Scene> {
  const answers: Readonly<Record<string, Reply>> = {
    'GET /api/v1/instances': data([served, plain]),
    'GET /api/v1/instances/7': data({ ...served, url }),
    'GET /api/v1/instances/8': data(plain),
    ...(routes && { 'GET /api/v1/routes': data(routes) }),
  }
  const gateway = await startHttpsGateway(systemClock, (request, { root }) => {
    const path = request.url?.split('?')[0] ?? ''
    if (path === '/api/v1/ca/root') return data({ root_ca: root().certificate, sha256: root().sha256 })
    const known = answers[`${request.method} ${path}`]
    if (known) return known
    return path.includes('resolve-directory') ? data({ instance_id: served.id }) : { status: 404, body: {} }
  })
  const opened: string[] = []
  const person = makePerson(systemClock, async (page) => hasBrowser && opened.push(page) > 0)
  await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])
  return {
    person,
    gateway,
    opened,
    [Symbol.asyncDispose]: async () => {
      person[Symbol.dispose]()
      await gateway[Symbol.asyncDispose]()
    },
  }
}

const TERMINAL = { isTerminal: true }

test('the address of an Instance is printed, by name, by id and for the directory, and no browser starts by itself', async () => {
  await using at = await scene()
  for (const words of [['shop/default'], ['7'], []]) {
    const { exit, out, err } = await at.person.type(['instance:open', ...words], TERMINAL)
    assert.deepEqual([exit, out], [0, 'https://shop.test\n'], err)
  }
  assert.deepEqual(at.opened, [])
})

test('a browser starts on request at a terminal, and never in a pipe or for JSON', async () => {
  await using at = await scene()
  const words = ['instance:open', '7', '--browser']
  for (const [more, terminal] of [
    [[], {}],
    [['--json'], TERMINAL],
  ] as const) {
    const { exit, out } = await at.person.type([...words, ...more], terminal)
    assert.equal(exit, 0)
    assert.match(out, /https:\/\/shop\.test/)
    assert.deepEqual(at.opened, [])
  }
  assert.equal((await at.person.type(words, TERMINAL)).out, 'https://shop.test\n')
  assert.deepEqual(at.opened, ['https://shop.test'])
  const { out } = await at.person.type(['instance:open', '7', '--json', '--request-id', ID])
  assert.deepEqual(JSON.parse(out), { data: { url: 'https://shop.test' }, meta: { request_id: ID } })
})

test('without a browser the address is printed all the same, and the exit status says so', async () => {
  await using at = await scene({ hasBrowser: false })
  const { exit, out, err } = await at.person.type(['instance:open', '7', '--browser'], TERMINAL)
  assert.deepEqual([exit, out], [EXIT.refused, 'https://shop.test\n'])
  assert.match(err, /No browser could be started/)
})

test('an Instance without a Route has no address, and the command that helps is named', async () => {
  await using at = await scene()
  const { exit, out, err } = await at.person.type(['instance:open', 'shop/next', '--browser'], TERMINAL)
  assert.deepEqual([exit, out], [EXIT.refused, ''])
  assert.match(err, /shop\/next has no Route/)
  assert.match(err, /fleet route:create DOMAIN --instance 8/)
})

test('an Instance that only Routes of other directories lead to has their domains named', async () => {
  const route = {
    id: 3,
    domain: 'docs.test',
    targets: [
      { id: 3, instance_id: served.id, position: 1 },
      { id: 1, instance_id: plain.id, position: 2 },
    ],
  }
  const others = [
    { ...route, id: 4, domain: 'shop.test', targets: [{ id: 2, instance_id: served.id, position: 1 }] },
    { ...route, id: 5, domain: 'proxy.test', targets: [] },
  ]
  await using at = await scene({ routes: [route, ...others] })
  const { exit, out, err } = await at.person.type(['instance:open', 'shop/next'], TERMINAL)
  assert.deepEqual([exit, out], [EXIT.refused, ''])
  assert.match(err, /no Route of its own\. Other Routes lead to it:\s+docs\.test\.\n/)
  assert.match(err, /fleet route:list/)
})

test('nothing but a page of the web is given to a browser', async () => {
  await using at = await scene({ url: 'file:///etc/passwd' })
  const { exit, out } = await at.person.type(['instance:open', '7', '--browser'], TERMINAL)
  assert.deepEqual([exit, out, at.opened], [EXIT.refused, '', []])
})
