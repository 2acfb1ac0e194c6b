import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { startGitServer } from '@fleet/testing/git-server'
import { testSeed } from '@fleet/testing/sample'
import fc from 'fast-check'
import { waitFor } from '../../lab/wait.ts'
import type { Host } from '../../lab/index.ts'
import { firstProject, prepare } from '../sequences/repositories.ts'
import { type History, operation, type Request, requestOf, type Work } from '../sequences/requests.ts'
import { shareFleet } from './installed.ts'
import { expected, issuesOf, observed } from './life-exact.ts'
import { type LifeWorld, NODES, startLifeWorld } from './life-world.ts'
import { onHosts } from './site.ts'

const OPERATIONS = 40

const started = shareFleet({
  name: 'lif',
  nodes: [
    { name: 'one', roles: ['app-dev'], words: ['--tld', 'one.test'] },
    { name: 'two', roles: ['app-dev'], words: ['--tld', 'two.test'] },
    { name: 'live', roles: ['app-prod'], words: ['--tld', 'live.test'] },
    { name: 'edge', roles: ['database'], words: ['--tld', 'edge.test'] },
  ],
})

/** What happens to a Node, or to the gateway, so many tenths of a second after the request was sent. */
const fault = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant('none' as const) },
    {
      weight: 4,
      arbitrary: fc.constantFrom('cut off' as const, 'full' as const, 'power' as const, 'gateway' as const),
    },
  ),
  tenths: fc.integer({ min: 3, max: 25 }),
  node: fc.nat(NODES.length - 1),
})
const step = fc.record({ operation, fault, isRepeatedLater: fc.nat(3).map((of) => of === 0) })
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type Fault = Step['fault']

const AWAY_MILLISECONDS = 4000

async function strike({ fleet }: LifeWorld, host: Host, { kind, tenths }: Fault): Promise<void> {
  await systemClock.sleep(tenths * 100)
  if (kind === 'full') await host.fillDisk()
  if (kind === 'gateway')
    await fleet.gateway.host.run(['systemctl', 'kill', '--signal=KILL', 'fleet-gateway'])
  if (kind === 'power') {
    await host.kill()
    await host.revive()
    await host.restore()
  }
  if (kind !== 'cut off') return
  await host.cutOff()
  await systemClock.sleep(AWAY_MILLISECONDS)
  await host.restore()
}

/** Makes the request while the fault happens, and puts everything right afterwards. */
async function askUnder(world: LifeWorld, request: Request, given: Fault): Promise<string> {
  const host = world.hosts[given.node]
  if (!host || given.kind === 'none') return world.ask(request)
  const struck = strike(world, host, given)
  const outcome = await world.ask(request)
  await struck
  if (given.kind === 'full') host.freeDisk()
  await world.fleet.gateway.ready()
  return outcome
}

/** The identical request, until it is answered otherwise than with a failure. */
async function repeated(world: LifeWorld, request: Request, lines: string[]): Promise<string> {
  let outcome = ''
  for (let times = 0; times < 6; times += 1) {
    outcome = await world.ask(request)
    lines.push(`  again ${shown(request)}: ${outcome}`)
    if (!/^(?:failed|died|refused \S+_busy$)/.test(outcome)) return outcome
    await systemClock.sleep(5000)
  }
  return outcome
}

const shown = (request: Request): string =>
  'tick' in request ? request.tick : `${request.operation} ${JSON.stringify(request.input)}`

async function play(world: LifeWorld, history: History, drawn: Step): Promise<void> {
  const { lines, pending, work } = history
  const request = await requestOf(world.around, work, lines.length, drawn.operation)
  if (!request || 'tick' in request) return
  history.played += 1
  const outcome = await askUnder(world, request, drawn.fault)
  const { kind, tenths, node } = drawn.fault
  const under = kind === 'none' ? 'nothing' : `${kind} of ${NODES[node]} after ${tenths} tenths`
  lines.push(`${shown(request)} under ${under}: ${outcome}`)
  // The branch is another one all the same, and its record follows once it can.
  if (drawn.operation.kind === 'branch' && outcome.startsWith('refused')) pending.push(request)
  if (!/^(?:failed|died)/.test(outcome)) return
  if (drawn.isRepeatedLater) pending.push(request)
  else await repeated(world, request, lines)
}

async function settle(world: LifeWorld, { lines, pending }: History): Promise<void> {
  for (const request of pending) await repeated(world, request, lines)
  const instances = await world.fleet.records('instance:list')
  for (const { id, status } of instances)
    if (status !== 'active')
      await repeated(world, { operation: 'instance:destroy', input: { instance: id, force: true } }, lines)
  // Of a clone that was never deployed: what is stored is drift until then.
  for (const { id, environment } of await world.fleet.records('instance:list'))
    if (environment === 'production')
      await repeated(world, { operation: 'env:sync', input: { instance: id } }, lines)
  // After a start of its Node an Instance sleeps: whoever starts one Process wakes it.
  for (const { id, desired_state } of await world.fleet.records('process:list'))
    if (desired_state === 'running')
      await repeated(world, { operation: 'process:start', input: { process: id } }, lines)
}

/** Files that a person wrote and that are not where their Instance is, or not as they were. */
async function lostWork({ fleet, hosts, around }: LifeWorld, work: Work): Promise<readonly string[]> {
  const instances = await fleet.records('instance:list')
  return [...work].flatMap(([id, files]) => {
    const row = instances.find((instance) => instance['id'] === id)
    const root = hosts[around.nodes.indexOf(Number(row?.['node_id']))]?.root ?? '/nowhere'
    return [...files].flatMap(([name, text]) => {
      const path = join(root, String(row?.['checkout_path']), name)
      return existsSync(path) && readFileSync(path, 'utf8') === text ? [] : [`${id} ${name}`]
    })
  })
}

test(
  `after ${OPERATIONS} random operations on four Nodes with faults the repeated requests leave what the records say`,
  { ...onHosts, timeout: 1_200_000 },
  async (context) => {
    const fleet = started()
    const git = await startGitServer(['shop', 'blog'], fleet.lab.addresses.machine)
    context.after(() => git[Symbol.asyncDispose]())
    prepare({ git })
    const world = await startLifeWorld(fleet, git)
    await fleet.record('cluster:create', 'plain')
    for (const name of ['one', 'two', 'edge'])
      await fleet.record('cluster:node:attach', 'plain', fleet.nameOf(name))
    await fleet.record('cluster:router:set', 'plain', fleet.nameOf('edge'))
    await fleet.record('cluster:update', 'plain', '--state', 'active')
    for (const host of world.hosts) await host.run(['sync'])
    const seed = testSeed()
    context.diagnostic(`seed ${seed}`)
    const history: History = { played: 0, lines: [], pending: [], work: new Map() }
    assert.equal(await world.ask({ operation: 'project:create', input: firstProject({ git }) }), 'done')
    // Some find nothing of their kind.
    for (const drawn of fc.sample(step, { seed, numRuns: 4 * OPERATIONS }))
      if (history.played < OPERATIONS) await play(world, history, drawn)
    const told = history.lines.join('\n')
    context.diagnostic(told)
    assert.equal(history.played, OPERATIONS)
    await settle(world, history)
    const isExact = async (): Promise<true | undefined> => {
      const [issues, there, wanted] = [await issuesOf(world), await observed(world), await expected(world)]
      return issues.length === 0 && JSON.stringify(there) === JSON.stringify(wanted) ? true : undefined
    }
    // Work in the background follows a change.
    if ((await waitFor(60, isExact)) !== true) {
      assert.deepEqual(await issuesOf(world), [], history.lines.join('\n'))
      assert.deepEqual(await observed(world), await expected(world), history.lines.join('\n'))
    }
    assert.deepEqual(await lostWork(world, history.work), [], history.lines.join('\n'))
  },
)
