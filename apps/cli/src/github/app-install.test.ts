import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { FakeClock } from '@fleet/testing'
import { type HttpsGateway, type Reply, startHttpsGateway } from '@fleet/testing/https-gateway'
import { EXIT } from '#/exit.ts'
import { type Ended, makePerson, type Person } from '#/run-harness.ts'

const ID = '00000000-0000-4000-8000-000000000001'
const data = (value: unknown): Reply => ({ status: 200, body: { data: value, meta: { request_id: ID } } })
const refusal = (status: number, code: string): Reply => ({
  status,
  body: { error: { code, message: code, request_id: ID } },
})

const app = { id: 1, slug: 'fleet', name: 'Fleet', owner: 'acme', url: 'https://github.test/apps/fleet' }
const installed = (updated_at: string, id = 5) => ({
  id,
  account: 'acme',
  repositories: 'selected',
  is_suspended: false,
  updated_at,
})
const PAGE = '/api/v1/github/app/registration?state=abc'

interface Scene extends AsyncDisposable {
  readonly person: Person
  readonly gateway: HttpsGateway
  readonly clock: FakeClock
  readonly opened: string[]
  /** What `github:app:show` answers. */
  show: Reply
  /** What `github:app:install` answers. */
  install: Reply
}

async function scene({ hasBrowser = true } = {}): Promise<Scene> {
  const gateway = await startHttpsGateway(systemClock, ({ method, url }, { root }) => {
    if (url.startsWith('/api/v1/ca/root')) return data({ root_ca: root().certificate, sha256: root().sha256 })
    return method === 'POST' ? at.install : at.show
  })
  // The certificate of the gateway is valid from now on.
  const clock = new FakeClock(new Date().toISOString())
  const opened: string[] = []
  const person = makePerson(clock, async (page) => hasBrowser && opened.push(page) > 0)
  const at: Scene = {
    person,
    gateway,
    clock,
    opened,
    show: refusal(404, 'github.app_missing'),
    install: data({ app: null, page: PAGE, expires_at: '2026-01-02T04:04:05.000Z' }),
    [Symbol.asyncDispose]: async () => {
      person[Symbol.dispose]()
      await gateway[Symbol.asyncDispose]()
    },
  }
  await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])
  return at
}

const asksOf = ({ gateway }: Scene, method: string): number =>
  gateway.asked.filter((one) => one.method === method && one.url.endsWith('/github/app')).length

/** Until the command has asked so often and sleeps. */
async function asleep(at: Scene, ended: Promise<Ended>, asks: number): Promise<void> {
  let isOver = false
  void ended.then(() => (isOver = true))
  while (asksOf(at, 'GET') < asks || at.clock.waiting === 0) {
    assert.ok(!isOver, 'the command has ended')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('the page of the gateway is printed as its clients know it, and the command ends when an account has installed the app', async () => {
  await using at = await scene()
  const { terminal, ended } = at.person.begin(['github:app:install', 'Fleet', '--owner', 'acme'])
  await asleep(at, ended, 1)
  assert.equal(terminal.outText, `${at.gateway.url}${PAGE}\n`)
  const posted = at.gateway.asked.find(({ method }) => method === 'POST')
  assert.deepEqual(JSON.parse(posted?.body ?? ''), { name: 'Fleet', owner: 'acme' })
  for (const answer of [refusal(502, 'github.unavailable'), data({ ...app, installations: [] })]) {
    const asked = asksOf(at, 'GET')
    at.show = answer
    at.clock.advance(3000)
    await asleep(at, ended, asked + 1)
  }
  at.show = data({ ...app, installations: [installed('2026-01-02T03:04:05Z')] })
  at.clock.advance(3000)
  const { exit, err } = await ended
  assert.equal(exit, EXIT.ok)
  assert.match(err, /Installed on acme: selected repositories\./)
  assert.deepEqual(at.opened, [])
})

test('of an app that is there, the installation page is opened and a changed installation counts, one from before does not', async () => {
  await using at = await scene()
  const page = `${app.url}/installations/new`
  at.install = data({ app, page, expires_at: null })
  at.show = data({ ...app, installations: [installed('2026-01-02T03:04:05Z')] })
  const { ended } = at.person.begin(['github:app:install', '--browser'], { isTerminal: true })
  await asleep(at, ended, 1)
  at.clock.advance(3000)
  await asleep(at, ended, 2)
  assert.deepEqual(at.opened, [page])
  at.show = data({ ...app, installations: [installed('2026-01-02T03:05:00Z')] })
  at.clock.advance(3000)
  assert.match((await ended).err, /Installed on acme/)
})

test('what was there before GitHub answered is no news', async () => {
  await using at = await scene()
  at.install = data({ app, page: `${app.url}/installations/new`, expires_at: null })
  at.show = refusal(502, 'github.unavailable')
  const { ended } = at.person.begin(['github:app:install'])
  await asleep(at, ended, 1)
  at.show = data({ ...app, installations: [installed('2026-01-02T03:04:05Z')] })
  at.clock.advance(3000)
  await asleep(at, ended, 2)
  at.show = data({
    ...app,
    installations: [installed('2026-01-02T03:04:05Z'), installed('2026-01-02T03:04:05Z', 6)],
  })
  at.clock.advance(3000)
  assert.equal((await ended).err.match(/Installed on/g)?.length, 1)
})

test('a command that stops waiting says github.installation_pending, and what shows the end [PRX-015]', async () => {
  await using at = await scene()
  const { ended } = at.person.begin(['github:app:install', '--wait', '5'])
  await asleep(at, ended, 1)
  at.clock.advance(3000)
  await asleep(at, ended, 2)
  at.clock.advance(2000)
  const { exit, err } = await ended
  assert.equal(exit, EXIT.refused)
  assert.match(err, /github\.installation_pending/)
  assert.match(err, /fleet github:app:show/)
  assert.equal(asksOf(at, 'GET'), 3)
})

test('without a number the command waits for ten minutes', async () => {
  await using at = await scene()
  const { ended } = at.person.begin(['github:app:install'])
  await asleep(at, ended, 1)
  at.clock.advance(597_000)
  await asleep(at, ended, 2)
  at.clock.advance(3000)
  assert.match((await ended).err, /within 600 seconds/)
})

test('a refusal that waiting does not end is printed at once, and a wait below nothing is not understood', async () => {
  await using at = await scene()
  at.show = refusal(403, 'node_access.required')
  const { exit, err } = await at.person.type(['github:app:install'])
  assert.equal(exit, EXIT.refused)
  assert.match(err, /node_access\.required/)
  assert.equal((await at.person.type(['github:app:install', '--wait', '-1'])).exit, EXIT.usage)
  assert.equal(asksOf(at, 'POST'), 0)
})

test('without a browser the page is there to be opened by hand', async () => {
  const note = 'No browser was started'
  for (const hasBrowser of [true, false]) {
    await using at = await scene({ hasBrowser })
    const words = ['github:app:install', '--browser', '--wait', '0']
    const { err } = await at.person.type(words, { isTerminal: true })
    assert.equal(err.includes(note), !hasBrowser)
    const unasked = await at.person.type(['github:app:install', '--wait', '0'])
    assert.ok(!unasked.err.includes(note))
  }
})

test('nobody waits with --wait 0 and for JSON, which has the whole address', async () => {
  await using at = await scene()
  const { exit } = await at.person.type(['github:app:install', '--wait', '0'])
  assert.equal(exit, EXIT.ok)
  const { out } = await at.person.type(['github:app:install', '--json', '--browser', '--request-id', ID])
  const answer = { app: null, page: `${at.gateway.url}${PAGE}`, expires_at: '2026-01-02T04:04:05.000Z' }
  assert.deepEqual(JSON.parse(out), { data: answer, meta: { request_id: ID } })
  assert.deepEqual([asksOf(at, 'GET'), at.opened], [0, []])
})

test('nothing but a page of the web is printed or given to a browser', async () => {
  await using at = await scene()
  at.install = data({ app, page: 'file:///etc/passwd', expires_at: null })
  const { exit, out } = await at.person.type(['github:app:install', '--browser', '--wait', '0'], {
    isTerminal: true,
  })
  assert.deepEqual([exit, out, at.opened], [EXIT.refused, '', []])
})
