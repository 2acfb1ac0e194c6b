import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testSeed } from '@fleet/testing/sample'
import fc from 'fast-check'
import { requireExact } from './exact.ts'
import { askUnder, fault, type Outcome, repeated, shown } from './faults.ts'
import { lostWork } from './observed.ts'
import { type History, operation, type Request, requestOf } from './requests.ts'
import { firstProject, prepare } from './repositories.ts'
import { surroundingsOf } from './surroundings.ts'
import { startWorld, type World } from './world.ts'

const OPERATIONS = 40
const step = fc.record({ operation, fault })
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function play(world: World, history: History, drawn: Step): Promise<void> {
  const { lines, pending, work } = history
  const request = await requestOf(surroundingsOf(world), work, lines.length, drawn.operation)
  if (!request) return
  history.played += 1
  const given = drawn.fault.kind === 'none' ? undefined : drawn.fault
  const outcome = await askUnder(world, request, given)
  lines.push(`${shown(request)} under ${given ? `${given.kind} ${given.at}` : 'nothing'}: ${outcome}`)
  const isOpen = outcome === 'died' || outcome.startsWith('failed')
  // The branch is another one all the same, and its record follows once it can.
  if (drawn.operation.kind === 'branch' && outcome.startsWith('refused')) pending.push(request)
  if (!isOpen) return
  assert.ok(given !== undefined || pending.length > 0, `it failed without a fault\n${lines.join('\n')}`)
  if (drawn.fault.isRepeatedLater) pending.push(request)
  else await again(world, history, request)
}

const again = (world: World, { lines }: History, request: Request): Promise<Outcome> =>
  repeated(world, request, (line) => lines.push(line))

async function settle(world: World, history: History): Promise<void> {
  let isRefused = false
  for (const request of history.pending)
    isRefused = (await again(world, history, request)).startsWith('refused') || isRefused
  // Of what has changed since, the request can no longer be done: whoever asked removes what it began.
  if (isRefused) await removeUnfinished(world, history)
  // Of a clone that was never deployed: what is stored is drift until then.
  for (const { id } of await world.store.db
    .selectFrom('instances')
    .select('id')
    .where('environment', '=', 'production')
    .execute())
    await again(world, history, { operation: 'env:sync', input: { instance: id } })
  await visitHalfWoken(world, history)
  let failed: readonly string[] = []
  for (let times = 0; times < 3; times += 1)
    failed = await world.gateway().work(['deployment:find-interrupted'])
  assert.deepEqual(failed, [], history.lines.join('\n'))
}

/** A person started one of its Processes, and the fault was in the wake that followed: its next visitor wakes the others. */
async function visitHalfWoken(world: World, history: History): Promise<void> {
  for (const { id, node_id } of await world.store.db
    .selectFrom('instances')
    .select(['id', 'node_id'])
    .execute()) {
    const at = world.machines.all.find(({ node }) => node.id === node_id)
    if (at?.host.read(`dev/shm/fleet/hibernation/${id}.started`) !== undefined)
      await again(world, history, { operation: 'instance:wake', input: { instance: id } })
  }
}

async function removeUnfinished(world: World, history: History): Promise<void> {
  const unfinished = await world.store.db
    .selectFrom('instances')
    .select('id')
    .where('status', '!=', 'active')
    .execute()
  for (const { id } of unfinished)
    await again(world, history, { operation: 'instance:destroy', input: { instance: id, force: true } })
}

test(`after ${OPERATIONS} random operations with faults the repeated requests leave on every Node what the records say`, async (context) => {
  await using world = await startWorld()
  prepare(world)
  const seed = testSeed()
  context.diagnostic(`seed ${seed}`)
  const history: History = { played: 0, lines: [], pending: [], work: new Map() }
  await world.gateway().ask('project:create', firstProject(world))
  // Some find nothing of their kind.
  for (const drawn of fc.sample(step, { seed, numRuns: 3 * OPERATIONS }))
    if (history.played < OPERATIONS) await play(world, history, drawn)
  assert.equal(history.played, OPERATIONS)
  await settle(world, history)
  const told = history.lines.join('\n')
  await requireExact(world, told)
  assert.deepEqual(await lostWork(world, history.work), [], told)
})
