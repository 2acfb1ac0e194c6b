import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { test } from 'node:test'
import { CodedError, Deadline, nextTurn, systemClock } from '@fleet/kernel'
import { fakeCall } from '@fleet/testing'
import { site, startWorld, type World } from '#/web-server/world.test.ts'

const build = ({ server, session }: World) => server.build(session, 'app-dev')

/** Lets everything that is ready run. */
async function settle({ store }: World): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    await store.locks.holderOf('nothing')
    await nextTurn()
  }
}

test('a build that waits for another one publishes the sites as they are when its turn comes [RTE-184, RTX-073]', async () => {
  await using world = await startWorld()
  world.sites = [site('old.test')]
  const held = await world.store.locks.acquire({
    name: `node:${world.session.node.id}:web-server`,
    operation: 'route:create',
    requestId: 'r',
    waitMilliseconds: 0,
    leaseSeconds: 60,
  })
  const waiting = build(world)
  await settle(world)
  assert.equal(world.live(), undefined)
  world.sites = [site('new.test')]
  await held[Symbol.asyncDispose]()
  assert.equal(await waiting, 'applied')
  assert.match(world.live() ?? '', /^https:\/\/new\.test \{$/m)
  assert.doesNotMatch(world.live() ?? '', /old\.test/)
})

test('a build that another one of the gateway keeps from its turn says so, with Node, stage and message [RTX-071]', async () => {
  await using world = await startWorld()
  const { node } = world.session
  await using _held = await world.store.locks.acquire({
    name: `node:${node.id}:web-server`,
    operation: 'route:create',
    requestId: 'r',
    waitMilliseconds: 0,
    leaseSeconds: 60,
  })
  const call = fakeCall({ deadline: new Deadline(systemClock, 20, 20) })
  await assert.rejects(world.server.build({ ...world.session, call }, 'app-dev'), (error) => {
    assert.ok(error instanceof CodedError)
    assert.equal(error.code, 'app-dev.caddy_config_failed')
    const { holder: _holder, ...details } = error.details ?? {}
    assert.deepEqual(details, {
      node: { id: node.id, name: node.name },
      stage: 'lock',
      message: 'Another build of the web server of the Node has not ended.',
    })
    return true
  })
})

test('the lock file of the Node is waited for 30 s, then the build fails at its stage and writes nothing [RTX-073]', async () => {
  await using world = await startWorld()
  world.sites = [site('shop.test')]
  world.write('fake/flock', '#!/bin/sh\necho "$* $(readlink "/proc/$$/fd/9")" >>"$FAKE/flocks"\nexit 1\n')
  chmodSync(world.at('fake/flock'), 0o755)
  await assert.rejects(
    build(world),
    (error) =>
      error instanceof CodedError &&
      error.code === 'app-dev.caddy_config_failed' &&
      error.details?.['stage'] === 'lock',
  )
  assert.equal(world.read('flocks'), `-w 30 9 ${world.at('run/lock/fleet/caddy.lock')}\n`)
  assert.equal(world.live(), undefined)
})
