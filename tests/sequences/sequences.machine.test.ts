import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { test } from 'node:test'
import { doctorReport } from '@fleet/contract'
import { testSeed } from '@fleet/testing/sample'
import fc from 'fast-check'
import { askUnder, fault, type Outcome } from './faults.ts'
import { expectedOn, homesOn, lostWork, observedOn } from './observed.ts'
import { operation, type Request, requestOf, type Work } from './requests.ts'
import { startWorld, type World } from './world.ts'

const OPERATIONS = 40
/** What the fleet is asked about; the machines themselves have no tunnel, agent or firewall here. */
const FAMILIES = ['project', 'instance', 'process', 'schedule', 'database_connection', 'route'] as const

const step = fc.record({ operation, fault })
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

interface History {
  played: number
  readonly lines: string[]
  readonly pending: Request[]
  readonly work: Work
}

/** Every repository has what the Projects name; the fork has the same history. */
function prepare({ git }: World): void {
  for (const name of ['shop', 'blog'])
    for (const branch of ['main', 'trunk', 'one', 'two'])
      git.commit(name, branch, { 'public/index.html': `${name}\n`, 'web/index.html': `${name}\n` })
  cpSync(git.pathOf('shop'), git.pathOf('shop-fork'), { recursive: true })
}

async function play(world: World, history: History, drawn: Step): Promise<void> {
  const { lines, pending, work } = history
  const request = await requestOf(world, work, lines.length, drawn.operation)
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
  else await repeat(world, history, request)
}

const firstProject = ({ git }: World) =>
  ({ slug: 'shop', type: 'node-package', root: 'public', repository_url: git.urlOf('shop') }) as const

/** The identical request, until it is answered otherwise than with a failure; three times must do. */
async function repeat(world: World, { lines }: History, request: Request): Promise<Outcome> {
  let outcome: Outcome = ''
  for (let times = 0; times < 3; times += 1) {
    outcome = await askUnder(world, request)
    lines.push(`  again ${shown(request)}: ${outcome}`)
    if (!outcome.startsWith('failed')) return outcome
  }
  return outcome
}

const shown = (request: Request): string =>
  'tick' in request ? request.tick : `${request.operation} ${JSON.stringify(request.input)}`

async function settle(world: World, history: History): Promise<void> {
  let isRefused = false
  for (const request of history.pending)
    isRefused = (await repeat(world, history, request)).startsWith('refused') || isRefused
  // Of what has changed since, the request can no longer be done: whoever asked removes what it began.
  if (isRefused) await removeUnfinished(world, history)
  // Of a clone that was never deployed: what is stored is drift until then.
  for (const { id } of await world.store.db
    .selectFrom('instances')
    .select('id')
    .where('environment', '=', 'production')
    .execute())
    await repeat(world, history, { operation: 'env:sync', input: { instance: id } })
  let failed: readonly string[] = []
  for (let times = 0; times < 3; times += 1)
    failed = await world.gateway().work(['deployment:find-interrupted'])
  assert.deepEqual(failed, [], history.lines.join('\n'))
}

async function removeUnfinished(world: World, history: History): Promise<void> {
  const unfinished = await world.store.db
    .selectFrom('instances')
    .select('id')
    .where('status', '!=', 'active')
    .execute()
  for (const { id } of unfinished)
    await repeat(world, history, { operation: 'instance:destroy', input: { instance: id, force: true } })
}

async function requireExact(world: World, { lines, work }: History): Promise<void> {
  const told = lines.join('\n')
  const gateway = world.gateway()
  for (const machine of world.machines.all) {
    const { id } = machine.node
    const report = doctorReport.parse(
      await gateway.ask('doctor:run', { node_id: id, families: [...FAMILIES] }),
    )
    const issues = report.nodes.flatMap(({ families }) =>
      families.flatMap((family) =>
        family.issues.map((issue) => `${issue.code} ${issue.resource_name} ${issue.observed}`),
      ),
    )
    assert.deepEqual(issues, [], told)
    const observed = [...observedOn(world, machine), ...(await homesOn(world, machine))].toSorted()
    assert.deepEqual(observed, await expectedOn(world, machine), told)
  }
  assert.deepEqual(await lostWork(world, work), [], told)
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
  await requireExact(world, history)
})
