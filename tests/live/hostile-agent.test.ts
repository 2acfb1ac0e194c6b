import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Chance } from '../fuzz/chance.ts'
import { startLiveWorld, until } from './world.ts'

const MESSAGES = 250
const EVENTS = [
  'client-heartbeat',
  'client-snapshot',
  'client-process',
  'client-workspace',
  'client-workspaces',
  'client-log',
  'client-log-end',
  'client-',
  'client-__proto__',
] as const
const VALUES = [
  null,
  true,
  -1,
  0,
  1.5,
  2 ** 53,
  1e308,
  '',
  '\u0000',
  '\ud800',
  'x'.repeat(2000),
  [],
  [null],
  [[[[]]]],
  {},
  { id: {} },
  [{ name: 1, state: [] }],
] as const
const MEMBERS = [
  'sequence',
  'at',
  'part',
  'parts',
  'units',
  'docker',
  'stream',
  'lines',
  'dropped',
  'skipped',
  'reason',
  'containers',
  'workspaces',
  'constructor',
] as const

const nonsense = (chance: Chance): Record<string, unknown> =>
  Object.fromEntries(
    Array.from({ length: chance.below(6) }, () => [chance.pick(MEMBERS), chance.pick(VALUES)]),
  )

test('whatever an agent says, the gateway continues, follows the agent, and shows its next state', async (context) => {
  const uncaught: unknown[] = []
  const note = (error: unknown): void => void uncaught.push(error)
  process.on('uncaughtExceptionMonitor', note)
  context.after(() => process.off('uncaughtExceptionMonitor', note))
  await using world = await startLiveWorld()
  const agent = await world.agent()
  const chance = new Chance(20_261_122)
  for (let count = 0; count < MESSAGES; count += 1) {
    if (chance.isOneIn(4)) agent.log('0'.repeat(32), [chance.pick(VALUES)] as never) // Lines that no agent of ours sends.
    else agent.say(chance.pick(EVENTS), nonsense(chance))
    if (count % 20 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  assert.equal((await world.fleet.ask('GET', '/healthz')).status, 200)
  const again = await world.agent()
  again.snapshot()
  using client = await world.client()
  await client.join('private-fleet')
  await until('a stream of the agent opens', async () => {
    again.beat()
    const opened = await world.open(client)
    return opened.json.data !== undefined
  })
  assert.deepEqual(uncaught, [])
})
