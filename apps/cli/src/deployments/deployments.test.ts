import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock } from '@fleet/kernel'
import { systemClock } from '@fleet/kernel/clock'
import { type HttpsGateway, type Reply, startHttpsGateway } from '@fleet/testing/https-gateway'
import { makePerson, type Person } from '#/run-harness.ts'

const ID = '00000000-0000-4000-8000-000000000001'
const data = (value: unknown): Reply => ({ status: 200, body: { data: value, meta: { request_id: ID } } })
const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 2) + seconds * 1000).toISOString()

const line = (sequence: number, given: object): object => ({
  sequence,
  request_id: ID,
  deployment_id: 21,
  at: at(sequence),
  ...given,
})
const PHASES = ['source_preparation', 'activation', 'cleanup'].map((phase, index) =>
  line(index + 1, { type: 'phase', phase, step_name: null }),
)
const ended = (status: 'succeeded' | 'failed') =>
  line(4, {
    type: 'result',
    status,
    failed_step: status === 'failed' ? 'activation' : null,
    error_code: status === 'failed' ? 'deployment.activation_failed' : null,
    selected_release: 'r-21',
  })
const stream = (...lines: readonly object[]): string =>
  lines.map((one) => `   ${JSON.stringify(one)}\n`).join('')
/** More was to come when the connection ended. */
const cut = (text: string): Reply => ({
  body: text,
  headers: { 'content-length': String(text.length + 100) },
})

const record = (status: 'running' | 'succeeded' | 'failed', events: readonly object[]) => ({
  id: 21,
  instance_id: 7,
  release: 'r-21',
  branch: 'main',
  commit: 'fa41e3a',
  started_at: at(0),
  finished_at: status === 'running' ? null : at(5),
  duration_seconds: null,
  status,
  failed_step: status === 'failed' ? 'activation' : null,
  error_code: status === 'failed' ? 'deployment.interrupted' : null,
  selected_release: 'r-20',
  triggered_by: 'gateway',
  events,
})

/** Waits between two reads are over at once. */
const quick: Clock = {
  now: () => systemClock.now(),
  ticks: () => systemClock.ticks(),
  timer: (milliseconds) => systemClock.timer(milliseconds),
  sleep: (milliseconds, signal) => systemClock.sleep(milliseconds === 1000 ? 1 : milliseconds, signal),
}

interface Scene extends AsyncDisposable {
  readonly person: Person
  readonly gateway: HttpsGateway
  /** Bodies of changes, in order. */
  sent(): readonly string[]
}

/** Each path answers its replies in turn, and the last one from then on. */
async function scene(answers: Readonly<Record<string, Reply | readonly Reply[]>>): Promise<Scene> {
  const asked = new Map<string, number>()
  const gateway = await startHttpsGateway(systemClock, ({ method, url }, { root }) => {
    if (url === '/api/v1/ca/root') return data({ root_ca: root().certificate, sha256: root().sha256 })
    const name = `${method} ${url}`
    const replies = [answers[name] ?? { status: 404, body: {} }].flat()
    const count = asked.get(name) ?? 0
    asked.set(name, count + 1)
    return replies[Math.min(count, replies.length - 1)] ?? {}
  })
  const person = makePerson(quick)
  await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])
  return {
    person,
    gateway,
    sent: () => gateway.asked.filter(({ method }) => method === 'POST').map(({ body }) => body),
    [Symbol.asyncDispose]: async () => {
      person[Symbol.dispose]()
      await gateway[Symbol.asyncDispose]()
    },
  }
}

const DEPLOY = 'POST /api/v1/instances/7/deploy'
const SHOW = 'GET /api/v1/deployments/21'

test('a deployment is asked to continue without its client, shown as it runs, and ends with the status of its result', async () => {
  await using of = await scene({
    [DEPLOY]: [{ body: stream(...PHASES, ended('succeeded')) }, { body: stream(...PHASES, ended('failed')) }],
  })
  const good = await of.person.type(['instance:deploy', '7', '--health-path', '/up'])
  assert.equal(good.exit, 0, good.err)
  assert.match(good.out, /^ {3}0\.0 s {2}source preparation\n[^]*^Succeeded {2}3\.0 s\nserves {2}r-21$/m)
  const bad = await of.person.type(['instance:deploy', '7', '--no-detach', '--json'])
  assert.equal(bad.exit, 1)
  assert.deepEqual(
    bad.out
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text).type),
    ['phase', 'phase', 'phase', 'result'],
  )
  assert.deepEqual(of.sent(), ['{"detach":true,"health_path":"/up"}', '{"detach":false}'])
})

test('a deployment whose branch is gone names the commands that deploy another one', async () => {
  const gone = {
    type: 'result',
    status: 'failed',
    failed_step: 'preparation',
    error_code: 'instance.branch_resolution_failed',
    selected_release: 'r-20',
  }
  const run = [PHASES[0] ?? {}, line(2, gone)]
  await using of = await scene({
    [DEPLOY]: { body: stream(...run) },
    [SHOW]: data(record('failed', run)),
    'PATCH /api/v1/instances/7': data({ id: 7 }),
  })
  const helps =
    'If the repository does not have the branch, deploy another one: fleet instance:update 7 BRANCH, for development fleet project:update PROJECT --default-branch BRANCH'
  const failed = await of.person.type(['instance:deploy', '7'])
  assert.equal(failed.exit, 1)
  assert.ok(failed.out.endsWith(`\nnext  ${helps}\nnext  fleet deployment:show 21\n`), failed.out)
  const shown = await of.person.type(['deployment:show', '21'])
  assert.ok(
    shown.out.replace(/\s+/g, ' ').endsWith(` next ${helps} next fleet instance:deploy 7 `),
    shown.out,
  )
  const updated = await of.person.type(['instance:update', '7', 'trunk'], { isTerminal: true })
  assert.match(updated.err, /The next deployment takes trunk: fleet instance:deploy 7\n/)
})

test('with --detach the command ends as soon as the run has begun, and names the command that follows it', async () => {
  await using of = await scene({ [DEPLOY]: cut(stream(PHASES[0] ?? {})) })
  const { exit, out, err } = await of.person.type(['instance:deploy', '7', '--detach'])
  assert.equal(exit, 0, err)
  assert.equal(out, '   0.0 s  source preparation\n')
  assert.match(err, /^Deployment 21 continues\. To follow it: fleet deployment:show 21 --follow$/m)
})

test('a connection that is lost is followed through the record, and every line is printed once', async () => {
  await using of = await scene({
    [DEPLOY]: cut(stream(...PHASES.slice(0, 2))),
    [SHOW]: [
      data(record('running', PHASES.slice(0, 2))),
      data(record('succeeded', [...PHASES, ended('succeeded')])),
    ],
  })
  const { exit, out, err } = await of.person.type(['instance:deploy', '7'])
  assert.equal(exit, 0, err)
  assert.match(err, /The connection was lost\. The run continues/)
  assert.deepEqual(out.match(/source preparation|activation|cleanup|Succeeded/g), [
    'source preparation',
    'activation',
    'cleanup',
    'Succeeded',
  ])
  const tied = await of.person.type(['instance:deploy', '7', '--no-detach'])
  assert.notEqual(tied.exit, 0, 'a run that ends with its connection is not followed')
})

test('a run is followed at any time with deployment:show --follow; one that its gateway did not end is reported from its record', async () => {
  await using of = await scene({
    [SHOW]: [
      data(record('running', PHASES.slice(0, 1))),
      data(record('running', PHASES.slice(0, 2))),
      data(record('failed', PHASES.slice(0, 2))),
    ],
  })
  const { exit, out, err } = await of.person.type(['deployment:show', '21', '--follow'])
  assert.equal(exit, 1, err)
  assert.deepEqual(out.match(/source preparation|Failed at activation {2}4\.0 s|deployment\.interrupted/g), [
    'source preparation',
    'Failed at activation  4.0 s',
    'deployment.interrupted',
  ])
  const shown = await of.person.type(['deployment:show', '21'])
  assert.match(shown.out, /^Deployment 21 {2}failed[^]*^Phases$/m)
})

test('a client that is closed while it follows ends nothing', async () => {
  await using of = await scene({ [SHOW]: data(record('running', PHASES)) })
  const begun = of.person.begin(['deployment:show', '21', '--follow'])
  while (!begun.terminal.outText.includes('cleanup')) await systemClock.sleep(1)
  begun.interrupt()
  assert.equal((await begun.ended).exit, 130)
  assert.deepEqual(of.sent(), [])
})

const RELEASES = 'GET /api/v1/instances/7/releases'
const RUNS = 'GET /api/v1/instances/7/deployments'
const ROLLBACK = 'POST /api/v1/instances/7/rollback'
const three = data({ releases: ['r-19', 'r-20', 'r-21'], selected_release: 'r-21' })
const runs = data([{ ...record('succeeded', []), release: 'r-20', started_at: at(0) }])

test('a rollback without a release offers those that there are, and takes a number or a name', async () => {
  await using of = await scene({
    [RELEASES]: three,
    [RUNS]: runs,
    [ROLLBACK]: { body: stream(ended('succeeded')) },
  })
  const asking = (typed: string) =>
    of.person.type(['instance:rollback', '7'], { isTerminal: true, typed: [typed] })
  const { exit, err, questions } = await asking('2')
  assert.equal(exit, 0, err)
  assert.deepEqual(err.split('\n').slice(0, 3), [
    '  1  r-19',
    '  2  r-20  2026-01-02T00:00:00.000Z  main  fa41e3a',
    '  3  r-21  selected now',
  ])
  assert.deepEqual(questions, ['Release to select [1-3, nothing to cancel]: '])
  assert.equal((await asking('r-19')).exit, 0)
  assert.deepEqual(of.sent(), ['{"detach":true,"release":"r-20"}', '{"detach":true,"release":"r-19"}'])
  for (const typed of ['', '4', 'r-1']) assert.equal((await asking(typed)).exit, 2)
  assert.equal(of.sent().length, 2)
})

test('without a terminal a rollback without a release is refused with the list, and one that is named is selected', async () => {
  await using of = await scene({
    [RELEASES]: three,
    [RUNS]: runs,
    [ROLLBACK]: { body: stream(ended('succeeded')) },
  })
  const { exit, err } = await of.person.type(['instance:rollback', '7'])
  assert.equal(exit, 2)
  assert.match(err, /The Instance has r-19, r-20, r-21 \(selected now\)\./)
  assert.match(err, /fleet instance:rollback 7 r-20/)
  assert.deepEqual(of.sent(), [])
  assert.equal((await of.person.type(['instance:rollback', '7', 'r-20'])).exit, 0)
  await using empty = await scene({
    [RELEASES]: data({ releases: ['r-1'], selected_release: 'r-1' }),
    [RUNS]: data([]),
  })
  assert.match((await empty.person.type(['instance:rollback', '7'])).err, /instance\.no_other_release/)
})
