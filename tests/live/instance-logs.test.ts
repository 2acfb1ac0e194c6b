import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { addGrant } from '@fleet/testing'
import { ADDRESS } from '../api/harness.ts'
import { personAt } from '../feed/command-line.ts'
import type { ScriptedAgent } from './scripted-agent.ts'
import { type LiveWorld, startLiveWorld, until } from './world.ts'

let world: LiveWorld
let agent: ScriptedAgent
before(async () => {
  world = await startLiveWorld()
  agent = await world.agent()
})
after(() => world[Symbol.asyncDispose]())

const known = new Set<string>()

/** The next stream that the agent is to read. */
async function wanted(): Promise<string> {
  let id: string | undefined
  await until('a stream is wanted', async () => {
    agent.beat()
    const list: ReadonlyArray<{ readonly id: string }> = await agent.list()
    id = list.find((one) => !known.has(one.id))?.id
    return id !== undefined
  })
  known.add(id ?? '')
  return id ?? ''
}

test('fleet instance:logs prints the lines that there are and closes its stream [LOGS-003, LOGS-004]', async () => {
  using person = personAt(world)
  const { ended } = person.begin(['instance:logs', String(world.instance), '--lines', '2'])
  const stream = await wanted()
  agent.log(stream, ['one', 'two'])
  const { exit, out, err } = await ended
  assert.deepEqual([exit, out, err], [0, 'one\ntwo\n', ''])
  const list: ReadonlyArray<{ readonly id: string }> = await agent.list()
  assert.ok(list.every(({ id }) => id !== stream))
})

test('followed, it continues with what comes, with --json as it came, and ends with words where the source is gone [LOGS-008, LOGS-011, LOGS-012]', async () => {
  using person = personAt(world)
  const words = ['instance:logs', String(world.instance), '--follow', '--json']
  const { terminal, ended } = person.begin(words)
  const stream = await wanted()
  agent.log(stream, ['one'])
  await until('the first line', () => terminal.outText.includes('one'))
  agent.log(stream, ['two'])
  await until('the second line', () => terminal.outText.includes('two'))
  agent.endLog(stream)
  const { exit, out, err } = await ended
  const events = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    events.map(({ type, id, data }) => [type, id, data.sequence, data.lines]),
    [
      ['log.lines', stream, 1, ['one']],
      ['log.lines', stream, 2, ['two']],
    ],
  )
  assert.equal(exit, 1)
  assert.match(err, /The log can no longer be read on the Node\./)
})

test('a stream that the agent ended is not closed again, so that no request of it fails', async () => {
  using person = personAt(world)
  const closings = async (): Promise<number> => {
    const activities = world.fleet.store.db.selectFrom('activities').select('id')
    return (await activities.where('command', '=', 'instance:log-stream:close').execute()).length
  }
  const before = await closings()
  const { ended } = person.begin(['instance:logs', String(world.instance)])
  agent.endLog(await wanted())
  const { exit, err } = await ended
  assert.deepEqual(
    [exit, err],
    [
      0,
      '[no lines: the application has no log or has not written it yet, the log is empty, or a symbolic link leads to it, which is not followed. fleet process:list shows its Processes, fleet process:logs PROCESS what one prints]\n',
    ],
  )
  assert.equal(await closings(), before)
})

test('a log that does not exist yet is waited for when it is followed', async () => {
  using person = personAt(world)
  world.logOverSsh('')
  const { terminal, ended, interrupt } = person.begin(['instance:logs', String(world.instance), '--follow'])
  agent.endLog(await wanted())
  await until('the reason', () => terminal.errText.includes('[There is no log yet.'))
  world.logOverSsh('the first line\n')
  await until('the first line', () => terminal.outText === 'the first line\n')
  interrupt()
  assert.equal((await ended).err, '[There is no log yet. Reading it every 5 s instead]\n')
  world.logOverSsh('over SSH\n')
})

test('a stream that ends for a while is opened again, and says so', async () => {
  using person = personAt(world)
  const { terminal, ended, interrupt } = person.begin(['instance:logs', String(world.instance), '--follow'])
  const stream = await wanted()
  agent.log(stream, ['one'])
  await until('the first line', () => terminal.outText.includes('one'))
  agent[Symbol.dispose]()
  await until('the end is reported', () => terminal.errText.includes('The agent of the Node disconnected.'))
  agent = await world.agent()
  agent.log(await wanted(), ['two'])
  await until('the second line', () => terminal.outText.includes('two'))
  interrupt()
  assert.match((await ended).err, /Retrying in \d+ s; lines may be repeated or missing/)
  assert.equal((await ended).out, 'one\ntwo\n')
  assert.deepEqual(await agent.list(), [], 'who leaves closes the stream')
})

const MAIN = resolve(import.meta.dirname, '../../apps/cli/src/main.ts')

test('Ctrl-C closes the stream of a log that is followed before the program ends [LOGS-004]', async () => {
  using person = personAt(world)
  const words = [MAIN, 'instance:logs', String(world.instance), '--follow']
  const home = join(person.home, 'checkout', '.fleet')
  const program = spawn(process.execPath, words, {
    env: { HOME: person.home, FLEET_HOME: home, NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
  })
  const [said, ended] = [text(program.stderr), once(program, 'exit')]
  const first = once(program.stdout, 'data')
  agent.log(await wanted(), ['one'])
  assert.equal(String(await first), 'one\n')
  program.kill('SIGINT')
  assert.deepEqual(await ended, [130, null])
  assert.equal(await said, '\nInterrupted.\n')
  assert.deepEqual(await agent.list(), [])
})

test('a log that is followed for a time closes its stream at its end', async () => {
  using person = personAt(world)
  const { ended } = person.begin(['instance:logs', String(world.instance), '--follow', '--timeout', '60'])
  agent.log(await wanted(), ['one'])
  const { exit, out, err } = await ended
  assert.deepEqual([exit, out, err], [0, 'one\n', ''])
  assert.deepEqual(await agent.list(), [])
})

test('a log that cannot be followed is read over SSH, and to follow it says why [INS-123, LOGS-025]', async () => {
  using person = personAt(world)
  const words = ['instance:logs', String(world.instance)]
  const roles = world.fleet.store.db.updateTable('node_roles').where('role', '=', 'websocket')
  await roles.set({ status: 'failed' }).execute()
  const { exit, out, err } = await person.type(words)
  world.logOverSsh('')
  const empty = await person.type(words)
  world.logOverSsh('over SSH\n')
  await roles.set({ status: 'active' }).execute()
  assert.deepEqual([exit, out, err], [0, 'over SSH\n', ''])
  assert.deepEqual(
    [empty.exit, empty.out, empty.err],
    [
      0,
      '',
      '[no lines: the application has no log or has not written it yet, the log is empty, or a symbolic link leads to it, which is not followed. fleet process:list shows its Processes, fleet process:logs PROCESS what one prints]\n',
    ],
  )
  const instances = world.fleet.store.db.updateTable('instances')
  const production = { production_user: 'shop', production_home: '/home/shop', selected_release: '20260101' }
  await instances.set({ environment: 'production', ...production }).execute()
  const { terminal, ended, interrupt } = person.begin([...words, '--follow'])
  await until('the log', () => terminal.outText.includes('over SSH'))
  interrupt()
  await ended
  const none = { production_user: null, production_home: null, selected_release: null }
  await instances.set({ environment: 'development', ...none }).execute()
  assert.match(
    terminal.errText,
    /it is a production Instance, whose log can only be read over SSH\. Reading it every 5 s/,
  )
  const unknown = await person.type(['instance:logs', '999'])
  assert.equal(unknown.exit, 1)
  assert.match(unknown.err, /instance\.not_found/)
})

test('with a grant on the Node of the Instance alone a followed log is read over SSH, and without one it is refused', async () => {
  using person = personAt(world)
  const { store, nodes } = world.fleet
  const words = ['instance:logs', String(world.instance), '--follow', '--from', ADDRESS.ungranted]
  const refused = await person.type(words)
  assert.equal(refused.exit, 1)
  assert.match(refused.err, /node_access\.required[^]*serving_node +granted /)
  await addGrant(store, { id: nodes.ungranted }, { id: nodes.granted })
  const { terminal, ended, interrupt } = person.begin(words)
  await until('the log', () => terminal.outText.includes('over SSH'))
  interrupt()
  assert.match((await ended).err, /no access to the gateway, which relays it\. Reading it every 5 s/)
})
