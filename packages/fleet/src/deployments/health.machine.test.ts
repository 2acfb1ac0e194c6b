import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDomains } from '@fleet/testing'
import type { PageAnswer } from '#/php/api.ts'
import { startWorld, type World } from '#/deployments/world.test.ts'

const answers = (status: number, body = ''): PageAnswer => ({
  outcome: 'answered',
  status,
  body: Buffer.from(body),
})
const input = { health_path: '/up?full=1' }

async function startPhp(): Promise<World> {
  const world = await startWorld()
  world.php.has = true
  return world
}

test('without a path no release is asked, and with one it is asked once before it is selected', async () => {
  await using world = await startPhp()
  const first = await world.deploy()
  assert.deepEqual([world.php.asked, first.result.status], [[], 'succeeded'])
  world.php.health = answers(204)
  const ran = await world.deploy({ input })
  const { release } = await world.row()
  assert.deepEqual(world.php.asked, [`${release} /up?full=1 releases/${first.result.selected_release}`])
  assert.deepEqual([ran.result.status, world.current()], ['succeeded', `releases/${release}`])
  assert.deepEqual(ran.phases.slice(2, 5), [
    'before_activation',
    'before_activation/health request',
    'activation',
  ])
  assert.equal(ran.printed, 'GET /up?full=1 answered 204\n')
})

test('a release that does not answer with 2xx is deleted and the previous one stays; the answer is output, without stored values', async () => {
  await using world = await startPhp()
  const { environment } = testDomains({ store: world.store, ssh: world.fleet.pool })
  const call = world.fleet.call()
  await environment.handlers['env:update']({
    call,
    input: { instance: world.instance.id, key: 'API_TOKEN', value: 'very-secret-schlüssel' },
  })
  const first = await world.deploy()
  const cases: readonly (readonly [PageAnswer, string])[] = [
    [answers(500, 'token very-secret-schlüssel\nmore'), 'answered 500\ntoken [REDACTED]\nmore'],
    [answers(302), 'answered 302\n'],
    [answers(199), 'answered 199\n'],
    [{ outcome: 'missing' }, 'found no index.php in the web root of the new release\n'],
    [{ outcome: 'unavailable' }, 'found nobody on the socket of PHP\n'],
    [{ outcome: 'silent' }, 'got no answer in time\n'],
    [{ outcome: 'broken' }, 'got no complete answer\n'],
  ]
  for (const [health, printed] of cases) {
    world.php.health = health
    const ran = await world.deploy({ input })
    assert.deepEqual(
      [ran.result.status, ran.result.failed_step, ran.result.error_code, ran.result.selected_release],
      ['failed', 'before_activation', 'deployment.health_failed', first.result.selected_release],
    )
    assert.equal(ran.printed, `GET /up?full=1 ${printed}`)
    assert.ok(!JSON.stringify(await world.row()).includes('very-secret'))
  }
  assert.deepEqual(world.releases(), [first.result.selected_release])
  assert.equal(world.current(), `releases/${first.result.selected_release}`)
})

test('a health request that nobody could answer is refused: before anything without PHP, and at its time without a Route', async () => {
  await using world = await startWorld()
  await assert.rejects(world.deploy({ input }), { code: 'deployment.health_unavailable', status: 409 })
  assert.deepEqual(await world.rows(), [])
  world.php.has = true
  const ran = await world.deploy({ input })
  assert.deepEqual(
    [ran.result.failed_step, ran.result.error_code],
    ['before_activation', 'deployment.health_unavailable'],
  )
  await using other = await startWorld({ environment: 'development', name: 'default' })
  other.php.has = true
  await assert.rejects(other.deploy({ input }), { code: 'deployment.health_unavailable' })
})
