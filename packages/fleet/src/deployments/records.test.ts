import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DeploymentLine, OUTPUT_KEPT_MAX_PIECES, OUTPUT_PIECE_MAX_BYTES } from '@fleet/contract'
import { type Clock, systemClock } from '@fleet/kernel'
import {
  addInstance,
  addNode,
  addProject,
  eventually,
  fakeCall,
  FakeClock,
  forEachDialect,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import { insertDeployment } from '#/deployments/queries.ts'
import { DeploymentJournal } from '#/deployments/run/journal.ts'
import { maskOfOutput } from '#/deployments/run/output-mask.ts'
import { OutputLines } from '#/deployments/run/output.ts'

const ROW = {
  request_id: '00000000-0000-4000-8000-000000000001',
  started_at: '2026-03-01T00:00:00.000Z',
  status: 'succeeded',
  triggered_by: 'gateway',
  events: [],
} as const

async function startRecords(dialect?: 'sqlite' | 'postgres', clock: Clock = systemClock) {
  const store = await openTestStore(dialect ? { dialect } : {})
  const node = await addNode(store)
  const project = await addProject(store)
  const place = { project_id: project.id, node_id: node.id }
  const [one, other] = [await addInstance(store, place), await addInstance(store, place)]
  return { store, one: one.id, other: other.id, domain: testDomains({ store, clock }).deployments }
}

forEachDialect(
  'the 50 newest rows of an Instance are kept, newest first, and no event says so [EV-082, EV-058, INS-035]',
  async (dialect) => {
    const { store, one, other, domain } = await startRecords(dialect)
    await using _ = store
    for (const instance_id of [other, ...Array.from({ length: 52 }, () => one)])
      await store.transaction((db) => insertDeployment(db, { ...ROW, instance_id }))
    const call = fakeCall()
    const { data } = await domain.handlers['instance:deployments']({ call, input: { instance: one } })
    assert.equal(data.length, 50)
    assert.deepEqual(
      data.map(({ id }) => id),
      data.map(({ id }) => id).toSorted((a, b) => b - a),
    )
    assert.deepEqual(Object.keys(data[0] ?? {}), [
      'id',
      'instance_id',
      'release',
      'branch',
      'commit',
      'started_at',
      'finished_at',
      'duration_seconds',
      'status',
      'failed_step',
      'error_code',
      'selected_release',
      'triggered_by',
    ])
    assert.deepEqual(call.events, [])
    const { data: others } = await domain.handlers['instance:deployments']({
      call,
      input: { instance: other },
    })
    assert.equal(others.length, 1)
    const { data: shown } = await domain.handlers['deployment:show']({
      call,
      input: { deployment: others[0]?.id ?? 0 },
    })
    assert.deepEqual(shown, { ...others[0], events: [] })
    await assert.rejects(domain.handlers['deployment:show']({ call, input: { deployment: 9999 } }), {
      code: 'deployment.not_found',
    })
  },
)

forEachDialect('a run that was left months ago ends too', async (dialect) => {
  const finished = new Date(Date.parse(ROW.started_at) + 90 * 24 * 3600 * 1000).toISOString()
  const { store, one, domain } = await startRecords(dialect, new FakeClock(finished))
  await using _ = store
  const { id } = await insertDeployment(store.db, { ...ROW, instance_id: one, status: 'running' })
  const settle = domain.workKinds.find(({ name }) => name === 'deployment:settle') ?? assert.fail()
  await settle.run(fakeCall(), { deployment_id: id })
  const { data } = await domain.handlers['deployment:show']({ call: fakeCall(), input: { deployment: id } })
  assert.deepEqual([data.status, data.error_code], ['failed', 'deployment.interrupted'])
  assert.deepEqual([data.finished_at, data.duration_seconds], [finished, 2_147_483.647])
})

test('a row keeps at most 128 KiB of output, the newest, and every phase [DEPL-020, DEPL-032]', async () => {
  const { store, one, domain } = await startRecords()
  await using _ = store
  const row = await insertDeployment(store.db, { ...ROW, instance_id: one, status: 'running' })
  const lines: DeploymentLine[] = []
  const call = fakeCall({ emit: async (line) => void lines.push(line as DeploymentLine) }) // The journal writes nothing else.
  const journal = new DeploymentJournal({ store, clock: systemClock }, call, (text) => text)
  journal.keepIn(row)
  await journal.phase('before_activation', 'big')
  await journal.printing(async (onOutput) => {
    for (let at = 0; at < 40; at += 1) onOutput('stdout', Buffer.alloc(10_000, 97 + (at % 26)))
    onOutput('stderr', Buffer.from('the end'))
  })
  const { data } = await domain.handlers['deployment:show']({ call, input: { deployment: row.id } })
  const pieces = data.events.flatMap((event) =>
    event.type === 'output' ? [Buffer.from(event.data_base64, 'base64')] : [],
  )
  assert.ok(Buffer.concat(pieces).length <= 128 * 1024)
  assert.ok(Buffer.concat(pieces).length > 100 * 1024)
  assert.equal(pieces.at(-1)?.toString(), 'the end')
  assert.equal(data.events[0]?.type, 'phase')
  assert.ok(pieces.every(({ length }) => length <= OUTPUT_PIECE_MAX_BYTES))
  assert.equal(lines.filter(({ type }) => type === 'output').length > 20, true)
})

test('a client that reads slowly gets the end of what a step printed before the next line, and a gap of the sequence where output is left out', async () => {
  const { store, one } = await startRecords()
  await using _ = store
  const row = await insertDeployment(store.db, { ...ROW, instance_id: one, status: 'running' })
  const lines: DeploymentLine[] = []
  const takes: (() => void)[] = []
  const emit = (line: unknown): Promise<void> => {
    lines.push(line as DeploymentLine) // The journal writes nothing else.
    const taken = Promise.withResolvers<void>()
    takes.push(taken.resolve)
    return taken.promise
  }
  const journal = new DeploymentJournal({ store, clock: systemClock }, fakeCall({ emit }), (text) => text)
  journal.keepIn(row)
  const began = journal.phase('before_activation', 'noisy')
  await eventually(() => takes.length === 1)
  takes.shift()?.()
  await began
  await journal.printing(async (onOutput) => {
    for (let at = 0; at < 10_000; at += 1) onOutput('stdout', Buffer.from(`${at}\n`))
    onOutput('stderr', Buffer.from('the cause\n'))
  })
  assert.equal(lines.length, 65, 'nothing more waits for a client than its share')
  const ended = journal.passRest()
  for (let taken = takes.shift(); taken; taken = takes.shift()) {
    taken()
    await Promise.resolve()
    await Promise.resolve()
    await Promise.resolve()
  }
  await ended
  const { sequence } = journal.result({
    status: 'failed',
    failed_step: 'before_activation',
    error_code: null,
    selected_release: null,
  })
  const sequences = lines.map((line) => line.sequence)
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => a - b),
  )
  assert.equal(sequences.at(-1), sequence - 1)
  const gaps = sequences.filter((number, at) => at > 0 && number !== (sequences[at - 1] ?? 0) + 1)
  assert.equal(gaps.length, 1)
  assert.equal(lines.length, 65 + OUTPUT_KEPT_MAX_PIECES)
})

test('a client that reads nothing holds no run, and gets the end of its output before the result', async () => {
  const { store, one } = await startRecords()
  await using _ = store
  const row = await insertDeployment(store.db, { ...ROW, instance_id: one, status: 'running' })
  const lines: DeploymentLine[] = []
  const clock = new FakeClock()
  const emit = async (line: unknown): Promise<void> => {
    lines.push(line as DeploymentLine) // The journal writes nothing else.
    await new Promise(() => {})
  }
  const journal = new DeploymentJournal({ store, clock }, fakeCall({ emit }), (text) => text)
  journal.keepIn(row)
  const print = (count: number) =>
    journal.printing(async (onOutput) => {
      for (let at = 0; at < count; at += 1) onOutput('stdout', Buffer.from(`${at}\n`))
    })
  await print(100)
  assert.equal(lines.length, 64)
  await passing(clock, journal.phase('after_activation', 'later'))
  await print(3)
  await passing(clock, journal.passRest())
  const last = lines.slice(64).map((line) => `${line.type} ${line.sequence}`)
  assert.deepEqual(last, ['phase 101', 'output 102', 'output 103', 'output 104'])
})

/** Time passes until the work has ended. */
async function passing(clock: FakeClock, work: Promise<void>): Promise<void> {
  const state = { isOver: false }
  void work.finally(() => (state.isOver = true))
  while (!state.isOver) {
    clock.advance(1000)
    await new Promise(setImmediate)
  }
  await work
}

test('a step that prints thousands of short lines is kept within as many pieces, and large output after them replaces them', async () => {
  const { store, one, domain } = await startRecords()
  await using _ = store
  const row = await insertDeployment(store.db, { ...ROW, instance_id: one, status: 'running' })
  const journal = new DeploymentJournal({ store, clock: systemClock }, fakeCall(), (text) => text)
  journal.keepIn(row)
  await journal.phase('before_activation', 'many')
  const kept = async () => {
    const { data } = await domain.handlers['deployment:show']({
      call: fakeCall(),
      input: { deployment: row.id },
    })
    assert.equal(data.events[0]?.type, 'phase')
    return data.events.flatMap((event) =>
      event.type === 'output' ? [Buffer.from(event.data_base64, 'base64').toString()] : [],
    )
  }
  await journal.printing(async (onOutput) => {
    for (let at = 0; at < 20_000; at += 1) onOutput('stdout', Buffer.from(`${at % 10}\n`))
  })
  const short = await kept()
  assert.deepEqual([short.length, short.at(0), short.at(-1)], [OUTPUT_KEPT_MAX_PIECES, '4\n', '9\n'])
  const large = `${'x'.repeat(OUTPUT_PIECE_MAX_BYTES - 1)}\n`
  await journal.printing(async (onOutput) => {
    for (let at = 0; at < 8; at += 1) onOutput('stdout', Buffer.from(large))
  })
  assert.deepEqual(
    await kept(),
    Array.from({ length: 8 }, () => large),
  )
})

test('output passes in whole lines, without stored values and with every other byte', () => {
  const mask = (lines: readonly string[]) =>
    lines.map((line) => line.replaceAll('s3cret-value', '[REDACTED]'))
  const output = new OutputLines(mask)
  assert.deepEqual(output.take(Buffer.from('a s3cret-')), [])
  assert.equal(Buffer.concat([...output.take(Buffer.from('value b\nrest'))]).toString(), 'a [REDACTED] b\n')
  assert.equal(Buffer.concat([...output.rest()]).toString(), 'rest')
  const bytes = Buffer.from([0, 255, 128, 10, 13])
  assert.deepEqual(Buffer.concat([...output.take(bytes), ...output.rest()]), bytes)
})

for (const [what, before, between] of [
  ['in whole lines', 'a line of output\n', '\n'],
  ['without an end of a line', 'downloading 10 % \r', '\r'],
] as const)
  test(`a stored value is masked although packets of 32 KiB cut it, in output that arrives ${what}`, () => {
    const secret = 's3cret-value'
    const text = before.repeat(2000).concat(`${between}token ${secret} `).repeat(4)
    for (const size of [32 * 1024, 16 * 1024, 5000, 777])
      for (let shift = 0; shift < secret.length; shift += 1) {
        const first = (text.indexOf(secret) + shift) % size
        const output = new OutputLines(maskOfOutput(new Map([['TOKEN', secret]])))
        const bytes = Buffer.from(text)
        const pieces = [...output.take(bytes.subarray(0, first))]
        for (let at = first; at < bytes.length; at += size)
          pieces.push(...output.take(bytes.subarray(at, at + size)))
        const passed = Buffer.concat([...pieces, ...output.rest()]).toString()
        assert.ok(passed === text.replaceAll(secret, '[REDACTED]'), `${size} ${shift}`)
      }
  })

test('a line that does not end passes on while it grows, in pieces of at most 16 KiB', () => {
  const output = new OutputLines((lines) => lines)
  const pieces = Array.from({ length: 64 }, () => output.take(Buffer.alloc(4096, 97))).flat()
  const passed = pieces.reduce((sum, { length }) => sum + length, 0)
  assert.ok(passed >= 64 * 4096 - 36 * 1024, String(passed))
  assert.ok(pieces.every(({ length }) => length <= OUTPUT_PIECE_MAX_BYTES))
})
