import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addNode, addRole, eventually } from '@fleet/testing'
import { personAt } from './command-line.ts'
import { type FeedWorld, startFeedWorld } from './world.ts'

let world: FeedWorld
before(async () => void (world = await startFeedWorld({ repositories: [] })))
after(() => world[Symbol.asyncDispose]())

const rename = async (name: string): Promise<void> => {
  const { status, text } = await world.fleet.ask('PATCH', `/api/v1/nodes/${world.fleet.nodes.granted}/name`, {
    body: { name },
  })
  assert.equal(status, 200, text)
}

test('fleet feed prints a line for each event and leaves Activities out, until it has shown enough', async () => {
  using person = personAt(world)
  const { terminal, ended } = person.begin(['feed', '--count', '2'])
  await eventually(() => terminal.errText.includes('Following the feed'))
  await rename('one')
  await rename('granted')
  const { exit, out, err } = await ended
  assert.equal(exit, 0)
  const { granted } = world.fleet.nodes
  assert.deepEqual(out.replaceAll(/^\d\d:\d\d:\d\d/gm, 'TIME').split('\n'), [
    `TIME  node.updated       one (${granted})  status active  roles app-dev`,
    `TIME  node.updated       granted (${granted})  status active  roles app-dev`,
    '',
  ])
  assert.equal(err, 'Following the feed of the gateway embedded. Press Ctrl-C to stop.\n')
})

test('a feed that is followed for a time ends with it: in order, or with status 3 where events were waited for', async () => {
  using person = personAt(world)
  const plain = await person.begin(['feed', '--timeout', '1.5']).ended
  assert.deepEqual([plain.exit, plain.out], [0, ''])
  const waiting = await person.begin(['feed', '--count', '1', '--type', 'node.created', '--timeout', '1.5'])
    .ended
  assert.equal(waiting.exit, 3)
  assert.match(waiting.err, /realtime\.timed_out {2}No such event came within 1\.5 s/)
})

test('events can be chosen by type, family and Node, and are whole with --json', async () => {
  using person = personAt(world)
  const { id } = await addNode(world.fleet.store, { name: 'other' })
  await addRole(world.fleet.store, { node_id: id, role: 'ingress' })
  const { granted } = world.fleet.nodes
  const begun = [
    person.begin(['feed', '--json', '--count', '1', '--node', 'granted']),
    person.begin(['feed', '--json', '--count', '1', '--type', 'activity', '--node', String(granted)]),
    person.begin(['feed', '--json', '--count', '1', '--type', 'node.updated']),
  ]
  await eventually(() => begun.every(({ terminal }) => terminal.outText.includes('feed.connected')))
  await rename('two')
  await rename('granted')
  const types = []
  for (const { ended } of begun) {
    const [, line = ''] = (await ended).out.split('\n')
    const event = JSON.parse(line)
    types.push(event.type)
    assert.deepEqual(
      event,
      world.listener.events.find(({ sequence }) => sequence === event.sequence),
    )
  }
  assert.deepEqual(types, ['node.updated', 'activity.created', 'node.updated'])
})

test('a connection that breaks is reported, made anew, and what was published meanwhile is reported as missed', async () => {
  using person = personAt(world)
  const { terminal, ended, interrupt } = person.begin(['feed'])
  await eventually(() => terminal.errText.includes('Following the feed'))
  await rename('three')
  await eventually(() => terminal.outText.includes('three'))
  world.cut()
  await eventually(() => terminal.errText.includes('was lost'))
  await rename('granted')
  await eventually(() => terminal.errText.includes('were lost'))
  await rename('four')
  await eventually(() => terminal.outText.includes('four'))
  await rename('granted')
  interrupt()
  const { err } = await ended
  assert.match(
    err,
    /^Following .*\nThe connection to the feed was lost: the connection broke. Retrying in \d+ s.\nConnected again. Events in between were not shown.\n\d+ events were lost \(numbers \d+ to \d+\). Read the records again.\n$/,
  )
})

test('a feed that nobody serves, a wrong choice and a server that is not trusted are refused with what to do', async () => {
  using person = personAt(world)
  const wrong = await person.type(['feed', '--type', 'Node!'])
  assert.deepEqual([wrong.exit, wrong.err.includes('such as node.updated')], [2, true])
  const missing = await person.type(['feed', '--type', 'nosuch'])
  assert.equal(missing.exit, 2)
  assert.match(missing.err, /not nosuch\.\n.*Families: .*\bnode\b/s)
  const mistyped = await person.type(['feed', '--type', 'node.udpated'])
  assert.match(mistyped.err, /Did you mean node\.updated/)
  const unknown = await person.type(['feed', '--node', 'nobody'])
  assert.deepEqual([unknown.exit, unknown.err.includes('There is no Node named nobody')], [2, true])
  const roles = world.fleet.store.db.updateTable('node_roles').where('role', '=', 'websocket')
  await roles.set({ status: 'failed' }).execute()
  const unserved = await person.type(['feed'])
  await roles.set({ status: 'active' }).execute()
  assert.equal(unserved.exit, 1)
  assert.match(unserved.err, /No Node serves the feed of this fleet\.\n.*fleet node:role:add NODE websocket/s)
})
