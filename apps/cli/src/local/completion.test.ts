import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Clock, systemClock } from '@fleet/kernel'
import { startHttpsGateway } from '@fleet/testing/https-gateway'
import { allCommands } from '#/commands.ts'
import { makePerson, type Person } from '#/run-harness.ts'
import { readTree } from '#/tree.ts'
import { placeOf } from './completion.ts'
import { completionScript } from './completion-script.ts'

const commands = allCommands(readTree())
const candidates = (words: readonly string[]): readonly string[] => {
  const { offered, typed } = placeOf(words, commands)
  return offered.filter((word) => word.startsWith(typed))
}

test('commands, options and choices are offered where they may stand', () => {
  assert.deepEqual(candidates(['node:li']), ['node:list'])
  assert.deepEqual(candidates(['help', 'gateway:u']), ['gateway:use'])
  assert.deepEqual(candidates(['activity:list', '--sta']), ['--status'])
  assert.deepEqual(candidates(['activity:list', '--status', 'f']), ['failed'])
  assert.deepEqual(candidates(['completion', '']), ['bash', 'zsh', 'fish'])
  assert.deepEqual(candidates(['node:frobnicate', '']), [])
})

test('the place of an argument is counted without options and their values', () => {
  const refers = (...words: readonly string[]): string | undefined => placeOf(words, commands).refers
  assert.equal(refers('node:show', ''), 'node')
  assert.equal(refers('cluster:node:attach', ''), 'cluster')
  assert.equal(refers('cluster:node:attach', 'blue', ''), 'node')
  assert.equal(refers('cluster:node:attach', '--json', '--gateway', 'office', 'blue', ''), 'node')
  assert.equal(refers('cluster:node:attach', '--gateway=office', 'blue', ''), 'node')
  assert.equal(refers('env:sync', 'sh'), 'instance')
  assert.equal(refers('project:show', ''), 'project')
  assert.equal(refers('doctor', '--node', ''), 'node')
  assert.equal(refers('process:create', 'instance', ''), 'instance')
  assert.equal(refers('schedule:create', '--json', 'node', 'w'), 'node')
  assert.equal(refers('node:show', 'web-1', ''), undefined)
  assert.equal(refers('node:show', '--timeout', ''), undefined)
})

test('every shell has a script', () => {
  for (const shell of ['bash', 'zsh', 'fish']) assert.match(completionScript(shell), /__complete/)
})

const RECORDS = {
  nodes: [
    { id: 1, name: 'gateway' },
    { id: 2, name: 'web-1' },
    { id: 3, name: 'web-2\n$(rm -rf ~)' },
    { id: 4, name: '-rf' },
  ],
  instances: [{ id: 7, name: 'default', project: { id: 1, slug: 'shop' } }],
  projects: [{ id: 1, slug: 'shop' }],
  clusters: [{ id: 1, name: 'blue' }],
} as const

/** A person whose gateway answers lists, or whatever `wait` says first. */
async function atGateway(
  wait: () => Promise<void>,
  work: (person: Person, asked: () => readonly string[]) => Promise<void>,
  clock: Clock = systemClock,
): Promise<void> {
  await using gateway = await startHttpsGateway(systemClock, async ({ url }, { root }) => {
    if (url === '/api/v1/ca/root')
      return { body: { data: { root_ca: root().certificate, sha256: root().sha256 } } }
    await wait()
    const records: Readonly<Record<string, unknown>> = RECORDS
    return { body: { data: records[url.replace('/api/v1/', '')], meta: { request_id: 'x' } } }
  })
  using person = makePerson(clock)
  await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])
  await work(person, () => gateway.asked.map(({ url }) => url).slice(1))
}

const completed = async (person: Person, ...words: readonly string[]): Promise<readonly string[]> => {
  const { exit, out, err } = await person.type(['__complete', ...words])
  assert.deepEqual([exit, err], [0, ''])
  return out.split('\n').slice(0, -1)
}

/** No wait of it is ever over: a busy machine answers late. */
const PATIENT: Clock = {
  ...systemClock,
  sleep: (_milliseconds, signal) =>
    new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true })),
}

test('names of records come from the gateway, those that a shell takes as they are', async () => {
  await atGateway(
    () => Promise.resolve(),
    async (person, asked) => {
      assert.deepEqual(await completed(person, 'node:show', ''), ['gateway', 'web-1'])
      assert.deepEqual(await completed(person, 'node:show', 'w'), ['web-1'])
      assert.deepEqual(await completed(person, 'cluster:node:attach', 'blue', 'w'), ['web-1'])
      assert.deepEqual(await completed(person, 'doctor', '--node', 'w'), ['web-1'])
      assert.deepEqual(await completed(person, 'env:sync', 'sh'), ['shop/default'])
      assert.deepEqual(await completed(person, 'project:show', ''), ['shop'])
      assert.deepEqual(await completed(person, 'cluster:show', ''), ['blue'])
      const before = asked().length
      assert.deepEqual(await completed(person, 'node:li'), ['node:list'])
      assert.equal(asked().length, before)
    },
    PATIENT,
  )
})

test('a gateway that is slow, refuses or is not there brings no names and no word about it', async () => {
  const never = Promise.withResolvers<void>()
  const waits: number[] = []
  await atGateway(
    () => never.promise,
    async (person) => {
      waits.length = 0
      assert.deepEqual(await completed(person, 'node:show', ''), [])
      assert.equal(Math.min(...waits), 220)
      assert.deepEqual(await completed(person, 'node:show', '--gateway', 'nowhere', ''), [])
      never.resolve()
    },
    {
      ...systemClock,
      sleep: async (milliseconds, signal) => {
        waits.push(milliseconds)
        if (milliseconds >= 1000) await PATIENT.sleep(milliseconds, signal)
      },
    },
  )
  using person = makePerson()
  assert.deepEqual(await completed(person, 'node:show', ''), [])
})
