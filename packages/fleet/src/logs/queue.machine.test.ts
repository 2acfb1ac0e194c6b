import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import type { InputOf } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import {
  addInstance,
  addProcess,
  addProject,
  addRoute,
  fakeCall,
  horizonApplication,
  type HorizonJob,
  type HorizonStore,
  localSession,
  startServiceFleet,
} from '@fleet/testing'
import { readQueue } from '#/logs/commands/read-queue.ts'

const skip = spawnSync('/usr/bin/php', ['-v']).status !== 0
const PHP = ['/usr/bin/php', '-d', 'precision=14']
const PUSHED = 1_795_000_000.25
const CANARY = 'payload-canary-7f3c'
const SECRET = 'tok-0123456789'

const job = (id: string, given: Partial<HorizonJob> = {}): HorizonJob => ({
  id,
  connection: 'redis',
  queue: 'default',
  name: 'App\\Jobs\\SendMail',
  status: 'pending',
  payload: JSON.stringify({
    uuid: id,
    displayName: 'App\\Jobs\\SendMail',
    pushedAt: String(PUSHED),
    tags: [CANARY],
    data: { commandName: 'App\\Jobs\\SendMail', command: `O:8:"SendMail":1:{s:5:"token";s:19:"${CANARY}";}` },
  }),
  exception: null,
  failed_at: null,
  completed_at: null,
  retried_by: null,
  reserved_at: null,
  ...given,
})

const failed = job('f1', {
  status: 'failed',
  failed_at: String(PUSHED + 2),
  exception: `RuntimeException: no answer with ${SECRET}\n#0 /srv/app.php(3): send()`,
})

const STORE: HorizonStore = {
  stats: {
    failedJobs: 1,
    jobsPerMinute: 2.5,
    pausedMasters: 0,
    periods: { failedJobs: 10_080, recentJobs: 60 },
    processes: 4,
    queueWithMaxRuntime: null,
    queueWithMaxThroughput: 'default',
    recentJobs: 62,
    status: 'running',
    wait: { 'redis:default': 3 },
  },
  workload: [
    { name: 'default', length: 60, wait: 3, processes: 3, split_queues: null },
    {
      name: 'mail,slow',
      length: 2,
      wait: 0,
      processes: 1,
      split_queues: [{ name: 'mail', length: 2, wait: 0 }],
    },
  ],
  jobs: {
    pending: Array.from({ length: 60 }, (_, index) => job(`p${index}`)),
    completed: [job('c1', { status: 'completed', completed_at: String(PUSHED + 1) })],
    failed: [failed],
  },
}

const DASHBOARD = [...PHP, 'artisan', 'horizon']

/** An Instance whose checkout is a folder here, with the look-alike in it and a Process. */
async function startWorld(command: readonly string[] | undefined, store = STORE) {
  const fleet = await startServiceFleet()
  const { node, domains, host } = fleet
  const project = await addProject(fleet.store)
  const checkout_path = host.at('apps/shop/default')
  const stored = await addInstance(fleet.store, { project_id: project.id, node_id: node.id, checkout_path })
  const application = horizonApplication(checkout_path, store)
  const call = fakeCall()
  const define = async (name: string, words: readonly string[]): Promise<number> => {
    const { id } = await addProcess(fleet.store, {
      instance_id: stored.id,
      name,
      runtime_config: { command: words, preset: null },
      restart_policy: 'always',
      desired_state: 'running',
    })
    return id
  }
  const process = command === undefined ? 0 : await define('horizon', command)
  const input = { instance: stored.id, state: 'pending', limit: 20 } as const
  return Object.assign(fleet, {
    application,
    process,
    checkout: checkout_path,
    instance: stored,
    define,
    serve: (domain: string) => addRoute(fleet.store, stored, { domain }),
    write: (key: string, value: string) =>
      domains.environment.handlers['env:update']({
        call,
        input: { instance: stored.id, key, value },
      }),
    read: async (given: Partial<InputOf<'instance:queue'>> = {}) =>
      (await domains.logs.handlers['instance:queue']({ call, input: { ...input, ...given } })).data,
  })
}
type World = Awaited<ReturnType<typeof startWorld>>

async function opened(world: World, given: Partial<InputOf<'instance:queue'>> = {}) {
  const read = await world.read(given)
  assert.ok(read.available)
  return read
}

test('an Instance without a queue dashboard says so with the state that was asked for [INS-125]', async () => {
  await using world = await startWorld([...PHP, 'artisan', 'queue:work'])
  assert.deepEqual(await world.read({ state: 'failed' }), { available: false, state: 'failed' })
  assert.deepEqual(world.host.pool.commands, [])
})

test(
  'the queue dashboard answers its status, its counts, its queues and its jobs, and nothing of a payload leaves the Node [INS-038, INS-126, INS-127]',
  { skip },
  async () => {
    await using world = await startWorld(DASHBOARD)
    const read = await opened(world, { limit: 1 })
    assert.deepEqual(read, {
      available: true,
      state: 'pending',
      process_id: world.process,
      status: 'running',
      jobs_per_minute: 2.5,
      recent_jobs: 62,
      recently_failed_jobs: 1,
      processes: 4,
      totals: { pending: 60, completed: 1, failed: 1 },
      queues: [
        { name: 'default', length: 60, wait_seconds: 3, processes: 3 },
        { name: 'mail,slow', length: 2, wait_seconds: 0, processes: 1 },
      ],
      dashboard_url: null,
      jobs: [
        {
          id: 'p0',
          name: 'App\\Jobs\\SendMail',
          queue: 'default',
          status: 'pending',
          pushed_at: new Date(PUSHED * 1000).toISOString(),
          completed_at: null,
          failed_at: null,
          exception: null,
          url: null,
        },
      ],
    })
    assert.equal((await opened(world, { limit: 50 })).jobs.length, 50)
    const completed = await opened(world, { state: 'completed' })
    assert.equal(completed.state, 'completed')
    assert.deepEqual(
      completed.jobs.map(({ id, completed_at }) => [id, completed_at]),
      [['c1', new Date((PUSHED + 1) * 1000).toISOString()]],
    )
    const asked = { directory: world.checkout, php: PHP, state: 'failed', limit: 50 } as const
    const printed = await localSession(world.host.pool).ask(
      { ...readQueue, read: (answer) => answer.text('answer') },
      asked,
    )
    assert.ok(printed.includes('f1') && !printed.includes(CANARY), printed)
  },
)

test(
  'what a job failed with is shown without stored values and cut at its end [INS-127]',
  { skip },
  async () => {
    const long = job('f2', { ...failed, id: 'f2', exception: 'é'.repeat(10_000) })
    await using world = await startWorld(DASHBOARD, {
      ...STORE,
      jobs: { ...STORE.jobs, failed: [failed, long] },
    })
    await world.write('API_TOKEN', SECRET)
    const [first, second] = (await opened(world, { state: 'failed' })).jobs
    assert.equal(first?.exception, 'RuntimeException: no answer with [REDACTED]\n#0 /srv/app.php(3): send()')
    assert.equal(first?.failed_at, new Date((PUSHED + 2) * 1000).toISOString())
    assert.equal(second?.exception, `${'é'.repeat(2048)}[truncated]`)
  },
)

test(
  'the address of the dashboard is at the domain of the Instance, and so are the pages of its jobs, as the application places them',
  { skip },
  async () => {
    await using world = await startWorld(DASHBOARD)
    await world.serve('shop.test')
    const base = 'https://shop.test/horizon'
    for (const [state, url] of [
      ['pending', `${base}/jobs/pending/p0`],
      ['completed', `${base}/jobs/completed/c1`],
      ['failed', `${base}/failed/f1`],
    ] as const) {
      const read = await opened(world, { state })
      assert.deepEqual([read.dashboard_url, read.jobs[0]?.url], [base, url])
    }
    const of = async (config: Readonly<Record<string, string>>) => {
      world.application.report({ ...STORE, config })
      return (await opened(world)).dashboard_url
    }
    assert.equal(await of({ 'horizon.path': '/queues/' }), 'https://shop.test/queues')
    assert.equal(await of({ 'horizon.domain': 'queues.shop.test' }), 'https://queues.shop.test/horizon')
    assert.equal(await of({ 'horizon.domain': 'a b' }), null)
    assert.equal(await of({ 'horizon.path': '?x=<script>' }), null)
  },
)

/** Reason and text of the refusal. */
async function refusalOf(world: World): Promise<readonly unknown[]> {
  try {
    return [await world.read()]
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    assert.deepEqual(error.details?.['node'], { id: world.node.id, name: world.node.name })
    return [error.code, error.details?.['reason'] ?? null, /`(?<helps>[^`]+)`/.exec(error.message)?.[1]]
  }
}
const UNANSWERED = 'instance.queue_unanswered'

test(
  'a dashboard that does not answer is a failure that names its cause, never an empty queue',
  { skip },
  async () => {
    await using world = await startWorld(DASHBOARD, { ...STORE, fails: `Connection refused ${SECRET}` })
    assert.deepEqual(await refusalOf(world), [UNANSWERED, 'store', 'fleet instance:logs'])
    world.application.report({ ...STORE, stats: { ...STORE.stats, status: 'sideways' } })
    assert.deepEqual(await refusalOf(world), [UNANSWERED, null, 'fleet instance:logs'])
    world.application.break()
    assert.deepEqual(await refusalOf(world), [UNANSWERED, 'start', 'fleet instance:logs'])
    world.application.without('bootstrap')
    assert.deepEqual(await refusalOf(world), [UNANSWERED, 'application', 'composer install'])
    rmSync(world.checkout, { recursive: true })
    assert.deepEqual(await refusalOf(world), [UNANSWERED, 'directory', undefined])
    await using without = await startWorld(DASHBOARD)
    without.application.without('Horizon')
    assert.deepEqual(await refusalOf(without), [UNANSWERED, 'dashboard', undefined])
    await using missing = await startWorld(['/usr/bin/no-php', 'artisan', 'horizon'])
    assert.deepEqual(await refusalOf(missing), [UNANSWERED, 'program', undefined])
    await using broken = await startWorld(['/bin/true', 'artisan', 'horizon'])
    assert.deepEqual(await refusalOf(broken), [UNANSWERED, null, 'fleet instance:logs'])
  },
)

test('an application that hangs is ended with its time', { skip }, async () => {
  await using world = await startWorld(DASHBOARD, { ...STORE, hangs: true })
  const asked = { directory: world.checkout, php: PHP, state: 'failed', limit: 1, seconds: 1 } as const
  const ask = localSession(world.host.pool).ask(readQueue, asked)
  await assert.rejects(ask, {
    code: UNANSWERED,
    details: { node: { id: 7, name: 'web-1' }, reason: 'timeout' },
  })
})

test('a paused and an inactive dashboard say so', { skip }, async () => {
  await using world = await startWorld(DASHBOARD)
  for (const status of ['paused', 'inactive'] as const) {
    world.application.report({ ...STORE, stats: { ...STORE.stats, status } })
    assert.equal((await opened(world)).status, status)
  }
})

test(
  'the first Process that runs the dashboard is asked, in the folder of its application and as the account of the Instance',
  { skip },
  async () => {
    await using world = await startWorld(undefined)
    await world.define('worker', [...PHP, 'artisan', 'queue:work'])
    const first = await world.define('first', [
      '/usr/bin/php',
      `${world.checkout}/artisan`,
      'horizon',
      '--quiet',
    ])
    await world.define('second', DASHBOARD)
    assert.equal((await opened(world)).process_id, first)
    await world.store.db
      .updateTable('instances')
      .set({ production_user: 'fleet-nobody-such', production_home: world.checkout })
      .execute()
    await assert.rejects(world.read(), CodedError)
    assert.match(world.host.pool.commands.at(-1) ?? '', /^sudo -n -u fleet-nobody-such -- /)
  },
)

test('an unknown Instance and an inactive Node are refused', async () => {
  await using world = await startWorld(DASHBOARD)
  await assert.rejects(world.read({ instance: 999 }), { code: 'instance.not_found' })
  await world.store.db.updateTable('nodes').set({ status: 'failed' }).execute()
  await assert.rejects(world.read(), { code: 'node.not_active' })
})
