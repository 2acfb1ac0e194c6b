import assert from 'node:assert/strict'
import { test } from 'node:test'
import Echo from 'laravel-echo'
import { startPusherWorld } from './harness.ts'

test('laravel-echo hears events, sees members and whispers over the server', async () => {
  await using world = await startPusherWorld()
  const echoOf = (user: string) =>
    new Echo({ broadcaster: 'pusher', key: 'app-key', client: world.client(user), namespace: false })
  const [one, two] = [echoOf('one'), echoOf('two')]
  const here = await new Promise((resolve) => one.join('room').here(resolve))
  assert.deepEqual(here, [{ name: 'one' }])
  const joining = new Promise((resolve) => one.join('room').joining(resolve))
  const whispered = new Promise((resolve) => one.join('room').listenForWhisper('typing', resolve))
  await new Promise((resolve) => two.join('room').here(resolve))
  assert.deepEqual(await joining, { name: 'two' })
  two.join('room').whisper('typing', { n: 1 })
  assert.deepEqual(await whispered, { n: 1 })
  const reported = new Promise((resolve) => two.private('fleet').listen('.node.created', resolve))
  await new Promise<void>((resolve) => two.private('fleet').subscribed(() => resolve()))
  await world.publisher.trigger('private-fleet', 'node.created', { id: 1 })
  assert.deepEqual(await reported, { id: 1 })
})
