import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addInstance, addProcess, addProject, eventually } from '@fleet/testing'
import { personAt } from './command-line.ts'
import { noTerminal, type OnTerminal, onTerminal } from './pseudo-terminal.ts'
import { type ScriptedAgent, startAgent } from './scripted-agent.ts'
import { type FeedWorld, startFeedWorld } from './world.ts'

let world: FeedWorld
let agent: ScriptedAgent
before(async () => {
  world = await startFeedWorld({ repositories: [] })
  agent = await startAgent(world, 'granted')
  agent.connection.onMessage(({ event }) => {
    if (event === 'pusher:member_added') tellAll()
  })
})
after(async () => {
  agent[Symbol.dispose]()
  await world[Symbol.asyncDispose]()
})

const unit = (name: string, runtime_status: string) => ({ name, runtime: 'docker', runtime_status })
const WORKSPACE = {
  instance_id: 4,
  base: 'main',
  start: null,
  branch: 'task-1',
  head: 'a'.repeat(40),
  dirty: true,
  commits: 3,
  diff: { files: 2, added: 10, removed: 1, truncated: false },
}

function tellAll(): void {
  const of = (part: number) => ({ docker: 'available', part, parts: 2 })
  agent.send('client-snapshot', { ...of(1), units: [unit('orbit-process-7-web', 'running')] })
  agent.send('client-snapshot', { ...of(2), units: [unit('orbit-process-8-queue', 'exited')] })
  agent.send('client-workspaces', { part: 1, parts: 1, workspaces: [WORKSPACE] })
}

test('fleet top prints one picture where there is no terminal, of what the agents send a member that joins [AG-011, AG-019, AG-020]', async () => {
  using person = personAt(world)
  const { exit, out } = await person.type(['top'])
  assert.equal(exit, 0)
  assert.deepEqual(
    out
      .replaceAll(/\d+ s /g, 'N s ')
      .split('\n')
      .slice(0, 4),
    [
      'fleet top  embedded  2 Nodes, 1 online, 1 unknown',
      '',
      'NAME     AGENT    HEARD  STATUS  UNITS  WORKSPACES  DOCKER     ROLES                    VERSION',
      'gateway  unknown  –      active  –      0           –          gateway, vpn, websocket  –',
    ],
  )
  for (const line of [
    /^granted +online +N s +active +1\/2 +1 +available +app-dev +1\.2\.3$/m,
    /^granted +orbit-process-8-queue +exited +docker$/m,
    /^granted +4 +task-1 +a{10} +yes +3 +2 files, \+10 −1$/m,
  ])
    assert.match(out.replaceAll(/\d+ s /g, 'N s '), line)
})

test('the picture as JSON has every Node with its units and workspaces', async () => {
  using person = personAt(world)
  const { nodes } = JSON.parse((await person.type(['top', '--json'])).out)
  const [gateway, granted] = nodes
  assert.deepEqual([gateway.name, gateway.agent, gateway.units], ['gateway', 'unknown', null])
  assert.deepEqual(
    [granted.name, granted.agent, granted.units, granted.workspaces],
    [
      'granted',
      'online',
      [unit('orbit-process-7-web', 'running'), unit('orbit-process-8-queue', 'exited')],
      [WORKSPACE],
    ],
  )
})

test('a setup that nobody finished is in the picture and in its JSON, until its Instance is gone', async () => {
  using person = personAt(world)
  const { store } = world.fleet
  const project = await addProject(store, { name: 'Shop' })
  const node_id = world.fleet.nodes.granted
  const { id } = await addInstance(store, {
    project_id: project.id,
    node_id,
    name: 'default',
    setup: 'pending',
    failed_step: 'setup',
  })
  await addInstance(store, { project_id: project.id, node_id, name: 'finished' })
  const { out } = await person.type(['top'])
  assert.match(out, /^fleet top .* 1 Instance unfinished$/m)
  assert.match(out, new RegExp(`^granted +Shop/default +active +setup +${id}$`, 'm'))
  const { unfinished } = JSON.parse((await person.type(['top', '--json'])).out)
  assert.deepEqual(
    unfinished.map((one: { readonly id: number }) => one.id),
    [id],
  )
  await store.db.deleteFrom('instances').where('id', '=', id).execute()
  assert.doesNotMatch((await person.type(['top'])).out, /unfinished/)
})

test('Processes are in the picture and in its JSON, with the status that their agent reports', async () => {
  using person = personAt(world)
  const { store, nodes } = world.fleet
  const id = 7
  await addProcess(store, {
    id,
    node_id: nodes.granted,
    name: 'web',
    runtime: 'docker',
  })
  const { out } = await person.type(['top'])
  assert.match(out, new RegExp(`^granted +web +running +stopped +docker +${id}$`, 'm'))
  const { processes } = JSON.parse((await person.type(['top', '--json'])).out)
  assert.deepEqual(
    processes.map((one: { readonly id: number; readonly owner: string }) => [one.id, one.owner]),
    [[id, 'granted']],
  )
})

const TAKEN = '\u001B[?1049h'
const GIVEN_BACK = '\u001B[?25h\u001B[?1049l'

/**
 * The unit's change is shown. Sent again while it is not: a snapshot for somebody who joins at this moment, which still has the
 * state before, may come after it.
 */
async function changed(output: () => string): Promise<void> {
  let last = Number.NEGATIVE_INFINITY
  await eventually(() => {
    if (performance.now() - last > 1000) {
      agent.send('client-process', { unit: unit('orbit-process-8-queue', 'restarting') })
      last = performance.now()
    }
    return output().includes('restarting')
  })
}

test(
  'on a terminal it follows what changes, takes keys, and gives the terminal back however it ends',
  { skip: noTerminal() ?? false, timeout: 90_000 },
  async () => {
    using person = personAt(world)
    const ways: ReadonlyArray<(run: OnTerminal) => void> = [
      (run) => run.press('q'),
      (run) => run.press('\u0003'),
      (run) => run.kill('SIGTERM'),
    ]
    for (const end of ways) {
      await using run = onTerminal(person, ['top'])
      const { output } = run
      await eventually(() => /granted\s+online/.test(output()))
      assert.ok(output().includes(TAKEN))
      run.press('u')
      await eventually(() => output().includes('orbit-process-8-queue'))
      await changed(output)
      assert.ok(!output().includes(GIVEN_BACK))
      end(run)
      await run.ended
      assert.ok(output().includes(GIVEN_BACK))
    }
  },
)

test(
  'on a terminal that cannot draw it prints one picture and ends, without a single control sequence',
  { skip: noTerminal() ?? false },
  async () => {
    using person = personAt(world)
    for (const kind of ['dumb', '']) {
      await using run = onTerminal(person, ['top'], kind)
      assert.equal(await run.ended, 0)
      assert.match(run.output(), /^fleet top {2}embedded {2}2 Nodes/)
      assert.match(run.output(), /granted\s+online/)
      assert.ok(!run.output().includes('\u001B'))
    }
  },
)
