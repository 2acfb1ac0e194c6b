import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock, fakeCall } from '@fleet/testing'
import type { TokenUse } from '#/github/permissions.ts'
import { domainOver, startWorld, type World } from '#/github/world.test.ts'

const SHOP = '127.0.0.1/acme/shop'

const routes = ({ host }: World): string[] => host.calls.splice(0).map(({ route }) => route)

test('a token is for one operation and one repository, with what its use needs alone, and lives an hour [PRX-016]', async () => {
  await using world = await startWorld()
  const { domain, host, app } = world
  const { id } = host.install(app, 'acme', ['shop', 'other'])
  const uses: Readonly<Record<TokenUse, Readonly<Record<string, string>>>> = {
    read: { contents: 'read' },
    publish: { contents: 'write', pull_requests: 'write', workflows: 'write' },
    checks: { checks: 'read' },
    branches: { pull_requests: 'read' },
    artifacts: { actions: 'read' },
  }
  const given = new Set<string | undefined>()
  for (const use of ['read', 'publish', 'checks', 'branches', 'artifacts', 'read'] as const) {
    const made = await domain.tokens.tokenFor(fakeCall(), SHOP, use)
    assert.equal(made?.url, `${host.server.web}/acme/shop.git`)
    given.add(made?.token.reveal())
    const call = host.calls.at(-1)
    assert.equal(call?.route, `POST /app/installations/${id}/access_tokens`)
    assert.deepEqual(call?.body, { repositories: ['shop'], permissions: uses[use] })
  }
  assert.deepEqual([...given], host.secrets)
  assert.equal(given.size, 6)
  host.records.termSeconds = 7200
  await assert.rejects(domain.tokens.tokenFor(fakeCall(), SHOP, 'read'), {
    code: 'github.unavailable',
    message: /valid for more than an hour/,
  })
})

test('the clock is named where that of the gateway is wrong, and not the app, also at the list of installations', async () => {
  await using world = await startWorld()
  const { store, host, app } = world
  host.install(app, 'acme', ['shop'])
  const at = (seconds: number) => {
    const clock = new FakeClock(new Date(world.clock.now().getTime() + seconds * 1000).toISOString())
    return domainOver(store, host.server, clock)
  }
  const token = (seconds: number) => () => at(seconds).tokens.tokenFor(fakeCall(), SHOP, 'read')
  const show = () => at(120).handlers['github:app:show']({ call: fakeCall(), input: {} })
  for (const [asked, said] of [
    [
      token(120),
      /401: “[^”]+”. The clock of 127.0.0.1:\d+ is 120 s behind that of the gateway: set the clock/,
    ],
    [show, /401: “[^”]+”. The clock of 127.0.0.1:\d+ is 120 s behind that of the gateway: set the clock/],
    [
      token(-120),
      /more than an hour. The clock of 127.0.0.1:\d+ is 120 s ahead of that of the gateway: set the clock/,
    ],
  ] as const)
    await assert.rejects(asked(), ({ code, message }) => {
      assert.equal(code, 'github.unavailable')
      assert.match(message, said)
      assert.ok(!message.includes('app:destroy'), message)
      return true
    })
  assert.ok(await token(30)())
})

test('what no installation covers, lies elsewhere or has no app is read without a token, and only GitHub is asked [PRX-018]', async () => {
  await using world = await startWorld()
  const { domain, host, app } = world
  host.install(app, 'acme', ['other'])
  assert.equal(await domain.tokens.tokenFor(fakeCall(), SHOP, 'read'), undefined)
  assert.deepEqual(routes(world), ['GET /repos/acme/shop/installation'])
  for (const identity of ['git.test/acme/shop', '127.0.0.1/shop', '127.0.0.1/a/b/c'])
    assert.equal(await domain.tokens.tokenFor(fakeCall(), identity, 'read'), undefined, identity)
  await domain.handlers['github:app:destroy']({ call: fakeCall(), input: {} })
  assert.equal(await domain.tokens.tokenFor(fakeCall(), SHOP, 'read'), undefined)
  assert.deepEqual(routes(world), [])
})

test('a refused permission is 422 of the host, whose message is quoted, and nothing is tried again [PRX-018]', async () => {
  await using world = await startWorld()
  const { domain, host, app } = world
  host.install(app, 'acme', ['shop'], { metadata: 'read' })
  const reason = 'The permissions requested are not granted to this installation.'
  await assert.rejects(domain.tokens.tokenFor(fakeCall(), SHOP, 'read'), ({ code, message, details }) => {
    assert.equal(code, 'github.unavailable')
    assert.ok(message.includes(`refuses a token for acme/shop with status 422: “${reason}”`), message)
    assert.ok(message.includes('/apps/fleet/installations/new'), message)
    assert.deepEqual(details, { host: new URL(host.server.api).host, host_status: 422, reason })
    return true
  })
  assert.equal(host.calls.length, 2)
})

test('who has installed the app is asked each time, and remembered for the list of branches alone; a refused token drops it, asks and tries once more [PRX-019]', async () => {
  await using world = await startWorld()
  const { domain, host, app } = world
  const first = host.install(app, 'acme', ['shop'])
  const token = (use: TokenUse) => domain.tokens.tokenFor(fakeCall(), SHOP, use)
  const [who, made] = [
    'GET /repos/acme/shop/installation',
    `POST /app/installations/${first.id}/access_tokens`,
  ]
  await token('read')
  await token('read')
  assert.deepEqual(routes(world), [who, made, who, made])
  await token('branches')
  await token('branches')
  assert.deepEqual(routes(world), [who, made, made])
  await token('read')
  assert.deepEqual(routes(world), [who, made])
  host.records.uninstall(first.id)
  const second = host.install(app, 'acme', ['shop'])
  const other = `POST /app/installations/${second.id}/access_tokens`
  assert.ok(await token('branches'))
  assert.deepEqual(routes(world), [made, who, other])
  host.refuse('access_tokens', 401, 'Bad credentials')
  host.refuse('access_tokens', 401, 'Bad credentials')
  await assert.rejects(token('branches'), {
    code: 'github.unavailable',
    message: /401: “Bad credentials”.*fleet github:app:destroy/,
  })
  assert.deepEqual(routes(world), [other, who, other])
  host.records.uninstall(second.id)
  assert.equal(await token('branches'), undefined)
})

test('what GitHub is sent and says of secrets is in no error', async () => {
  await using world = await startWorld()
  const { domain, host, app } = world
  host.install(app, 'acme', ['shop'])
  host.refuse('access_tokens', 403, `no\n ghs_${'a'.repeat(36)} ${'long '.repeat(200)}`)
  const error: unknown = await domain.tokens
    .tokenFor(fakeCall(), SHOP, 'read')
    .catch((thrown: unknown) => thrown)
  const text = JSON.stringify(error, Object.getOwnPropertyNames(error))
  assert.doesNotMatch(text, /ghs_a|bearer|eyJ/i)
  host.refuse('access_tokens', 403, 'long '.repeat(200))
  await assert.rejects(domain.tokens.tokenFor(fakeCall(), SHOP, 'read'), ({ details }) => {
    assert.equal(String(details.reason).length, 300)
    return true
  })
})
