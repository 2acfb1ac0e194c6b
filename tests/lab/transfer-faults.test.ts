import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { fetchPath } from '@fleet/testing'
import { sampled } from '@fleet/testing/sample'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { differences, walk, type Walked } from '../sequences/walk.ts'
import { fillWithWork } from '../sequences/work.ts'
import { type Fault, FAULTS } from './faults.ts'
import { onHosts } from './site.ts'
import { type Member, type Position, startTransferWorld, type TransferWorld } from './transfer-world.ts'

/** In the middle of the archive, which holds a file of a megabyte. */
const HALF = 700_000
/** The receipt of a checkout, and who prepared it. */
const OURS = /^\.git\/orbit\//
const DOMAIN = 'one.internal'
const APPS = '/home/fleet/apps'
const PATH = `${APPS}/shop/one`

/** An Instance with a Route, a Process and work that exists nowhere else, which goes from one host to the other and back. */
interface Moving {
  readonly world: TransferWorld
  readonly id: number
  readonly process: number
  readonly content: Walked
  /** Every moment of its transfer. */
  readonly positions: readonly Position[]
  /** Where it is, and the other one. */
  here: Member
  there: Member
}

let shared: Promise<Moving> | undefined
const started = (): Promise<Moving> => (shared ??= begin())
after(async () => (await shared?.catch(() => undefined))?.world[Symbol.asyncDispose]())

async function begin(): Promise<Moving> {
  const world = await startTransferWorld('transfer')
  const [here, there] = world.members
  const given = { project_id: 1, node_id: here.id, name: 'one', domain: DOMAIN }
  const { id } = (await world.ask('instance:create', given)) as { readonly id: number } // As the contract says.
  const { id: process } = (await world.ask('process:create', {
    target_type: 'instance',
    target_id: id,
    name: 'queue',
    runtime: 'systemd',
    command: ['/bin/sleep', '9999'],
    start: true,
  })) as { readonly id: number } // As above.
  const inside = join(here.host.root, PATH)
  await here.host.run(['chown', '-R', 'root:', PATH])
  fillWithWork(inside)
  await here.host.run(['sh', '-c', `chown -hR fleet:fleet ${PATH} && sync`])
  const content = walk(inside)
  const { code, asked } = await world.askWhile('instance:transfer', { instance: id, node_id: there.id })
  assert.equal(code, undefined)
  const positions = asked.flatMap(({ takes }, at) => (takes ? [{ at }, { at, bytes: HALF }] : [{ at }]))
  return { world, id, process, content, positions, here: there, there: here }
}

const request = ({ id, there }: Moving) => ({ instance: id, node_id: there.id })

/** What of it is not at its place on this host, or is otherwise. */
const lostOn = ({ content }: Moving, { root }: Host): readonly string[] =>
  existsSync(join(root, PATH, '.git')) ? differences(content, walk(join(root, PATH)), OURS) : ['all of it']

/** What the Router answers, once it has something to say. */
async function served({ world }: Moving): Promise<unknown> {
  const { edge, root: certificate } = world
  const asked = { address: edge.host.address, port: 443, host: DOMAIN, path: '/', certificate }
  const answer = () => fetchPath(asked).catch(String)
  await waitFor(20, async () => (JSON.stringify(await answer()) === JSON.stringify(PAGE) ? true : undefined))
  return answer()
}
const PAGE = { status: 200, body: 'shop\n' }

/** Names below the folder of checkouts, and what the host runs and serves of the Instance. */
const LEFT = `cd ${APPS} && find . -mindepth 1 -maxdepth 2 -printf '%P\\n' | sort
cd /etc/systemd/system && for unit in orbit-process-*.service; do [ ! -e "$unit" ] || echo "$unit $(systemctl is-active "$unit")"; done
grep -o 'https://${DOMAIN}' /etc/caddy/Caddyfile || true`

/** It is whole where it is, runs and is served there, and nothing of it is on the other host. */
async function requireWhole(moving: Moving, told: string): Promise<void> {
  const { here, there, world } = moving
  assert.deepEqual(lostOn(moving, here.host), [], told)
  assert.equal(
    await here.host.run(['sh', '-c', LEFT]),
    `shop\nshop/one\norbit-process-1-queue.service active\nhttps://${DOMAIN}\n`,
    told,
  )
  assert.equal(await there.host.run(['sh', '-c', LEFT]), '', told)
  assert.deepEqual(await served(moving), PAGE, told)
  assert.equal((await world.transferOf(moving.id)).nodeId, here.id, told)
}

interface Strike {
  readonly fault: Fault
  readonly position: Position
  /** Who is struck. */
  readonly end: keyof typeof ENDS
}

const ENDS = {
  'the Node that it leaves': ({ here }) => [here.host],
  'the Node that it goes to': ({ there }) => [there.host],
  'both Nodes': ({ here, there }) => [here.host, there.host],
} as const satisfies Readonly<Record<string, (moving: Moving) => readonly Host[]>>

/** Sends the request, has the fault strike at its moment, and clears it once the request has ended. */
async function struck(moving: Moving, { fault, position, end }: Strike): Promise<string | undefined> {
  const { world } = moving
  const victims = ENDS[end](moving)
  const { code, isStruck } = await world.askWhile('instance:transfer', request(moving), {
    position,
    work: async () => void (await Promise.all(victims.map((host) => fault.inject(host)))),
  })
  await Promise.all(victims.map((host) => fault.clearFaults(host)))
  for (const host of victims) await world.reachable(host)
  assert.ok(isStruck, `the transfer has no command ${position.at}`)
  return code
}

/** After a start of its Node an Instance sleeps: whoever starts a Process wakes it. */
const wake = ({ world, process }: Moving): Promise<unknown> => world.ask('process:start', { process })

/** The identical request, until it is answered otherwise than with a failure. */
async function finish(moving: Moving, told: string, sleeps = false): Promise<void> {
  let ended = await moving.world.askWhile('instance:transfer', request(moving))
  for (let repeats = 1; repeats < 3 && ended.code !== undefined; repeats += 1)
    ended = await moving.world.askWhile('instance:transfer', request(moving))
  assert.equal(ended.code, undefined, `${told}, then ${ended.said}`)
  ;[moving.here, moving.there] = [moving.there, moving.here]
  if (sleeps) await wake(moving)
  await requireWhole(moving, told)
}

/** Before anybody repeats anything it is whole where the record says, and what was taken back serves as before. */
async function requireKept(moving: Moving, told: string): Promise<void> {
  const { world, id, here, there } = moving
  const { nodeId, status } = await world.transferOf(id)
  assert.deepEqual(lostOn(moving, nodeId === here.id ? here.host : there.host), [], told)
  if (status !== 'rolled_back') return
  assert.equal(nodeId, here.id, told)
  assert.deepEqual(await served(moving), PAGE, told)
}

/** Injects the fault, looks at what stands, and lets the identical request finish. Answers the code of the failure. */
async function strikeOnce(context: TestContext, moving: Moving, strike: Strike): Promise<string | undefined> {
  const code = await struck(moving, strike)
  const told = `${strike.fault.name} at ${JSON.stringify(strike.position)}: ${code ?? 'no failure'}`
  context.diagnostic(told)
  await requireKept(moving, told)
  await finish(moving, told, strike.fault.name === 'without power')
  return code
}

const cases = FAULTS.flatMap(
  (fault) => (Object.keys(ENDS) as readonly (keyof typeof ENDS)[]).map((end) => ({ fault, end })), // Its own keys.
)

for (const [index, { fault, end }] of cases.entries())
  test(
    `an Instance on its way is whole where its record says when ${end} ${end === 'both Nodes' ? 'are' : 'is'} ${fault.name} at any command, and the identical request finishes`,
    onHosts,
    async (context) => {
      const moving = await started()
      const { positions } = moving
      // One of each in a run, far from each other.
      const offset = index * Math.floor(positions.length / cases.length)
      for (const position of sampled(positions, positions.length, offset))
        await strikeOnce(context, moving, { fault, position, end })
      assert.deepEqual(await moving.world.issues(), [])
    },
  )

test(
  'a destination that is lost or full in the middle of the archive is the reason of the failure, and nothing of it stays',
  onHosts,
  async (context) => {
    const moving = await started()
    const position = moving.positions.find(({ bytes }) => bytes !== undefined)
    assert.ok(position)
    const codes: (string | undefined)[] = []
    for (const fault of FAULTS)
      codes.push(await strikeOnce(context, moving, { fault, position, end: 'the Node that it goes to' }))
    assert.deepEqual(codes, [
      'instance.transfer_failed',
      'instance.source_failed',
      'instance.transfer_failed',
    ])
  },
)

test('a transfer that was answered outlives a power cut of both Nodes', onHosts, async () => {
  const moving = await started()
  await finish(moving, 'undisturbed')
  for (const { host } of moving.world.members) await host.kill()
  for (const { host } of moving.world.members) await host.revive()
  for (const { host } of moving.world.members) await moving.world.reachable(host)
  await wake(moving)
  await requireWhole(moving, 'after the power cut')
})
