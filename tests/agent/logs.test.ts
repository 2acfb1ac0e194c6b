import assert from 'node:assert/strict'
import {
  appendFileSync,
  chownSync,
  mkdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { eventually, LOG_CHANNEL, type Member, only, startWorld, type World } from './world.ts'

const ID = 'a'.repeat(32)
const NOBODY = 65_534

/** Files of root are never read, and tests may run as root. */
const own = (path: string): void => {
  if (process.getuid?.() === 0) chownSync(path, NOBODY, NOBODY)
}
const write = (path: string, text: string): void => {
  writeFileSync(path, text)
  own(path)
}
const lines = (member: Member) => only(member, 'client-log').flatMap((one) => one.lines)

async function streaming(
  world: World,
  source: unknown,
  options: { lines?: number; id?: string } = {},
): Promise<Member> {
  world.answers.logStreams = [{ id: options.id ?? ID, lines: options.lines ?? 100, source }]
  const relay = await world.member(LOG_CHANNEL)
  world.agent()
  return relay
}

test('a framework file comes with its last lines at once, then with what is written, in order and numbered [AGT-007, LOG-004, LOGS-009, LOGS-019]', async () => {
  await using world = await startWorld()
  const path = join(world.folder, 'laravel.log')
  write(path, Array.from({ length: 500 }, (_, index) => `old ${index}\n`).join(''))
  const relay = await streaming(world, { type: 'laravel', path }, { lines: 3 })
  await eventually(() => lines(relay).length === 3)
  appendFileSync(path, 'one\ntwo\nhal')
  await world.until(() => lines(relay).length === 5)
  appendFileSync(path, 'f\n')
  await world.until(() => lines(relay).length === 6)
  assert.deepEqual(only(relay, 'client-log'), [
    { stream: ID, sequence: 1, lines: ['old 497', 'old 498', 'old 499'], dropped: 0, skipped: 0 },
    { stream: ID, sequence: 2, lines: ['one', 'two'], dropped: 0, skipped: 0 },
    { stream: ID, sequence: 3, lines: ['half'], dropped: 0, skipped: 0 },
  ])
})

test('a rotated file is read to its end and then the new one; an emptied one from its start; a missing one once it is there', async () => {
  await using world = await startWorld()
  const path = join(world.folder, 'laravel.log')
  const relay = await streaming(world, { type: 'laravel', path })
  await eventually(() => world.gateway.asked.some(({ url }) => url.endsWith('/log-streams')))
  await world.pass(1000)
  write(path, 'first\n')
  await world.until(() => lines(relay).length === 1)
  appendFileSync(path, 'last of the old')
  renameSync(path, `${path}.1`)
  write(path, 'new\n')
  await world.until(() => lines(relay).length === 3)
  truncateSync(path)
  await world.pass(1000)
  appendFileSync(path, 'anew\n')
  await world.until(() => lines(relay).length === 4)
  assert.deepEqual(lines(relay), ['first', 'last of the old', 'new', 'anew'])
})

test('without the file the newest dated one is read, then that of the next day, and the file once it is there [INS-124, LOGS-001]', async () => {
  await using world = await startWorld()
  const at = (name: string): string => join(world.folder, name)
  write(at('laravel-2026-09-30.log'), 'older\n')
  write(at('laravel-2026-10-01.log'), 'newest\n')
  for (const name of ['laravel-notes.log', 'other-2026-10-02.log', 'laravel-2026-10-02.log.gz'])
    write(at(name), 'no\n')
  const relay = await streaming(world, { type: 'laravel', path: at('laravel.log') })
  await eventually(() => lines(relay).length === 1)
  write(at('laravel-2026-09-29.log'), 'came late\n')
  appendFileSync(at('laravel-2026-10-01.log'), 'before midnight\n')
  await world.until(() => lines(relay).length === 2)
  appendFileSync(at('laravel-2026-10-01.log'), 'last of the day')
  write(at('laravel-2026-10-02.log'), 'after midnight\n')
  await world.until(() => lines(relay).length === 4)
  write(at('laravel.log'), 'in one file\n')
  await world.until(() => lines(relay).length === 5)
  renameSync(at('laravel.log'), at('laravel.log.1'))
  appendFileSync(at('laravel.log.1'), 'while it is rotated\n')
  await world.until(() => lines(relay).length === 6)
  assert.deepEqual(lines(relay), [
    'newest',
    'before midnight',
    'last of the day',
    'after midnight',
    'in one file',
    'while it is rotated',
  ])
})

test('a reader that is far behind continues near the end and reports how many bytes it passed over [LOGS-009, LOGS-017]', async () => {
  await using world = await startWorld()
  const path = join(world.folder, 'laravel.log')
  write(path, 'begun\n')
  const relay = await streaming(world, { type: 'laravel', path })
  await eventually(() => lines(relay).length === 1)
  const text = Array.from({ length: 30_000 }, (_, index) => `${index}`.padEnd(99, '.')).join('\n')
  appendFileSync(path, `${text}\n`)
  await world.until(() => lines(relay).at(-1)?.startsWith('29999.') === true)
  const messages = only(relay, 'client-log')
  const skipped = messages.reduce((sum, one) => sum + one.skipped, 0)
  assert.equal(skipped + (lines(relay).length - 1) * 100, text.length + 1)
  assert.equal(messages[1]?.skipped, skipped)
})

test('a reader that skips into a key shows nothing of its rest [LOGS-023]', async () => {
  await using world = await startWorld()
  const path = join(world.folder, 'laravel.log')
  write(path, 'begun\n')
  const relay = await streaming(world, { type: 'laravel', path })
  await eventually(() => lines(relay).length === 1)
  const many = (count: number, text: string) => `${text.padEnd(99, '.')}\n`.repeat(count)
  const key = `-----BEGIN PRIVATE KEY-----\n${many(40, 'SECRET')}-----END PRIVATE KEY-----\n`
  // It continues 64 KiB before the end, which is in the middle of the key.
  const text = `${many(12_000, 'old')}${key}${many(635, 'new')}last\n`
  assert.ok(text.slice(-64 * 1024).includes('SECRET') && !text.slice(-64 * 1024).includes('BEGIN'))
  appendFileSync(path, text)
  await world.until(() => lines(relay).at(-1) === 'last')
  assert.equal(JSON.stringify(relay.heard).includes('SECRET'), false)
  const skipped = only(relay, 'client-log').reduce((sum, one) => sum + one.skipped, 0)
  assert.equal(skipped, text.length - 635 * 100 - 5)
})

test('a linked checkout or folder below it does not lead the agent to another log; a link above the checkout may', async () => {
  await using world = await startWorld()
  const logs = ['apps', 'shop', 'default', 'storage', 'logs']
  mkdirSync(join(world.folder, ...logs), { recursive: true })
  write(join(world.folder, ...logs, 'laravel.log'), 'seen\n')
  const source = (apps: string, link?: { readonly at: string; readonly to: string }) => {
    const checkout = join(world.folder, apps, 'shop', 'default')
    if (link) {
      mkdirSync(dirname(join(world.folder, apps, link.at)), { recursive: true })
      symlinkSync(join(world.folder, 'apps', link.to), join(world.folder, apps, link.at))
    }
    return { type: 'laravel', checkout, path: join(checkout, 'storage/logs/laravel.log') }
  }
  const linked = ['shop/default', 'shop/default/storage', 'shop/default/storage/logs']
  symlinkSync('apps', join(world.folder, 'above'))
  const sources = linked.map((at, index) => source(`apps${index}`, { at, to: at }))
  world.answers.logStreams = [...sources, source('above')].map((one, index) => ({
    id: String(index).repeat(32),
    lines: 10,
    source: one,
  }))
  const relay = await world.member(LOG_CHANNEL)
  world.agent()
  await eventually(() => only(relay, 'client-log-end').length === linked.length && lines(relay).length === 1)
  assert.deepEqual(
    only(relay, 'client-log').map(({ stream }) => stream),
    ['3'.repeat(32)],
  )
})

test('what belongs to root, a link, a folder and a place that is not there are no sources [LOGS-008, LOGS-010, LOG-005]', async () => {
  await using world = await startWorld()
  mkdirSync(join(world.folder, 'folder'))
  symlinkSync('/etc/passwd', join(world.folder, 'link'))
  const paths = ['link', 'folder', 'none/laravel.log'].map((name) => join(world.folder, name))
  if (process.getuid?.() === 0) paths.push('/etc/passwd')
  world.answers.logStreams = paths.map((path, index) => ({
    id: String(index).repeat(32),
    lines: 10,
    source: { type: 'laravel', path },
  }))
  const relay = await world.member(LOG_CHANNEL)
  world.agent()
  await eventually(() => only(relay, 'client-log-end').length === paths.length)
  assert.deepEqual(
    only(relay, 'client-log-end').toSorted((a, b) => (a.stream < b.stream ? -1 : 1)),
    paths.map((_, index) => ({ stream: String(index).repeat(32), reason: 'source_unavailable' })),
  )
  assert.equal(lines(relay).length, 0)
  // It stays on the gateway's list until the gateway has heard: it is not begun anew.
  await world.pass(16_000)
  assert.equal(only(relay, 'client-log-end').length, paths.length)
})

test('a container comes with its last lines, both of its outputs, nothing twice, and continues after a restart [AGT-007, LOGS-011]', async () => {
  await using world = await startWorld()
  const container = 'orbit-process-7-db'
  world.docker.set(container, 'running')
  for (const text of ['a', 'b', 'c']) world.docker.write(container, text)
  const relay = await streaming(world, { type: 'docker', container, process_id: 7 }, { lines: 2 })
  await eventually(() => lines(relay).length === 2)
  await eventually(() => world.docker.asked.some((url) => url.includes('follow=1')))
  world.docker.write(container, 'd')
  world.docker.write(container, 'e', 2)
  await world.until(() => lines(relay).length === 4)
  await world.docker.stop()
  await world.docker.start()
  await world.pass(3000)
  world.docker.write(container, 'f')
  await world.until(() => lines(relay).length === 5)
  assert.deepEqual(lines(relay), ['b', 'c', 'd', 'e', 'f'])
})

test('a container whose machine sets its clock back goes on, with nothing twice', async () => {
  await using world = await startWorld()
  const container = 'orbit-process-7-db'
  world.docker.set(container, 'running')
  world.docker.write(container, '1')
  const relay = await streaming(world, { type: 'docker', container, process_id: 7 })
  await eventually(() => world.docker.asked.some((url) => url.includes('follow=1')))
  world.docker.write(container, '2')
  await world.until(() => lines(relay).length === 2)
  for (const [channel, count] of [
    [1, 4],
    [2, 6],
  ] as const) {
    world.docker.setClockBack(3_600_000)
    world.docker.write(container, `${count - 1}`)
    world.docker.write(container, `${count}`, channel)
    await world.until(() => lines(relay).length >= count)
    await world.docker.stop()
    await world.docker.start()
    await world.pass(3000)
  }
  world.docker.write(container, '7')
  await world.until(() => lines(relay).length >= 7)
  assert.deepEqual(lines(relay), ['1', '2', '3', '4', '5', '6', '7'])
})

test('a container of another Process and one that does not exist are no sources [AGT-007, LOGS-010]', async () => {
  await using world = await startWorld()
  world.docker.set('orbit-process-7-db', 'running', { processId: 8 })
  world.docker.write('orbit-process-7-db', 'secret')
  world.answers.logStreams = ['orbit-process-7-db', 'orbit-process-9-none'].map((container, index) => ({
    id: String(index).repeat(32),
    lines: 10,
    source: { type: 'docker', container, process_id: 7 },
  }))
  const relay = await world.member(LOG_CHANNEL)
  world.agent()
  await eventually(() => only(relay, 'client-log-end').length === 2)
  assert.equal(lines(relay).length, 0)
})

test('a notice brings a new stream, and one that is off the list ends [AGT-037, LOG-006, LOGS-029]', async () => {
  await using world = await startWorld()
  const path = join(world.folder, 'laravel.log')
  write(path, 'old\n')
  const relay = await world.member(LOG_CHANNEL)
  world.agent()
  await eventually(() => world.gateway.asked.some(({ url }) => url.endsWith('/log-streams')))
  world.answers.logStreams = [{ id: ID, lines: 10, source: { type: 'laravel', path } }]
  const notify = () => world.pusher.publisher.trigger(LOG_CHANNEL, 'log-streams.changed', {})
  await notify()
  await eventually(() => lines(relay).length === 1)
  world.answers.logStreams = []
  const asked = world.gateway.asked.length
  await notify()
  await eventually(() => world.gateway.asked.length > asked)
  await world.pass(500)
  appendFileSync(path, 'more\n')
  await world.pass(1000)
  assert.deepEqual(lines(relay), ['old'])
})

test('while streams run the list is asked for every 15 s, and 60 s without it end them all [AGT-037, LOGS-010]', async () => {
  await using world = await startWorld()
  const path = join(world.folder, 'laravel.log')
  write(path, 'old\n')
  const relay = await streaming(world, { type: 'laravel', path })
  await eventually(() => lines(relay).length === 1)
  const asked = (): number => world.gateway.asked.filter(({ url }) => url.endsWith('/log-streams')).length
  const before = asked()
  await world.pass(14_500)
  assert.equal(asked(), before)
  await world.pass(1000)
  await eventually(() => asked() === before + 1)
  world.answers.up = false
  await world.pass(50_000)
  assert.equal(only(relay, 'client-log-end').length, 0)
  await world.until(() => only(relay, 'client-log-end').length === 1)
  assert.deepEqual(only(relay, 'client-log-end'), [{ stream: ID, reason: 'list_unavailable' }])
})

test('a stream sends 256 KiB at once and then 32 KiB a second [LOGS-017]', async () => {
  await using world = await startWorld()
  const path = join(world.folder, 'laravel.log')
  write(path, 'begun\n')
  const relay = await streaming(world, { type: 'laravel', path })
  await eventually(() => lines(relay).length === 1)
  const bytes = (): number => lines(relay).length * 1024
  let seconds = 0
  // A busy machine reads late: each step waits in real time until nothing more comes of it.
  const reach = async (least: number, within: number): Promise<void> => {
    const end = seconds + within
    while (bytes() <= least) {
      assert.ok(seconds < end, `${bytes()} bytes after ${seconds} s`)
      await world.pass(250)
      seconds += 0.25
      await settled(bytes)
      assert.ok(bytes() <= (256 + 64 + 32 * seconds) * 1024, `${bytes()} bytes after ${seconds} s`)
    }
  }
  appendFileSync(path, `${'x'.repeat(1023)}\n`.repeat(600))
  await reach(250 * 1024, 2)
  await reach((256 + 100) * 1024, 5)
})

/** Resolves once the number has not grown for a tenth of a second. */
async function settled(count: () => number): Promise<void> {
  for (let before = -1; before !== count();) {
    before = count()
    await systemClock.sleep(100)
  }
}

test('all streams of a Node together send 256 KiB a second, and none waits for another [LOGS-017]', async () => {
  await using world = await startWorld()
  const files = Array.from({ length: 10 }, (_, index) => join(world.folder, `${index}.log`))
  for (const path of files) write(path, 'begun\n')
  world.answers.logStreams = files.map((path, index) => ({
    id: String(index).repeat(32),
    lines: 10,
    source: { type: 'laravel', path },
  }))
  const relay = await world.member(LOG_CHANNEL)
  world.agent()
  await eventually(() => lines(relay).length === 10)
  for (const path of files) appendFileSync(path, `${'x'.repeat(1023)}\n`.repeat(250))
  await world.pass(2000)
  const bytes = lines(relay).length * 1024
  assert.ok(bytes > 400 * 1024 && bytes <= (256 + 3 * 256) * 1024, String(bytes))
  assert.equal(
    new Set(
      only(relay, 'client-log')
        .slice(10, 40)
        .map(({ stream }) => stream),
    ).size,
    10,
  )
})

test('a gateway that accepts the question for the list and says nothing ends all streams after 60 s too [AGT-037]', async () => {
  await using world = await startWorld()
  const path = join(world.folder, 'laravel.log')
  write(path, 'old\n')
  const relay = await streaming(world, { type: 'laravel', path })
  await eventually(() => lines(relay).length === 1)
  world.answers.silent = true
  await world.pass(59_000)
  assert.equal(only(relay, 'client-log-end').length, 0)
  await world.pass(2000)
  await eventually(() => only(relay, 'client-log-end').length === 1)
  assert.deepEqual(only(relay, 'client-log-end'), [{ stream: ID, reason: 'list_unavailable' }])
})

test('blocks of keys never leave the Node [LOGS-023]', async () => {
  await using world = await startWorld()
  const path = join(world.folder, 'laravel.log')
  write(path, '-----BEGIN RSA PRIVATE KEY-----\nSECRET1\n-----END RSA PRIVATE KEY-----\n')
  const relay = await streaming(world, { type: 'laravel', path })
  await eventually(() => lines(relay).length === 3)
  appendFileSync(
    path,
    'x -----BEGIN PRIVATE KEY-----\\nSECRET2\\n-----END PRIVATE KEY-----\n-----BEGIN A-----\nSECRET3\n',
  )
  await world.until(() => lines(relay).length === 6)
  assert.equal(JSON.stringify(relay.heard).includes('SECRET'), false)
})

test('a key on one output of a container, open as its log is opened, is masked to its end, and the other output is shown [LOGS-023]', async () => {
  await using world = await startWorld()
  const container = 'orbit-process-7-db'
  world.docker.set(container, 'running')
  const [begin, end, masked] = ['-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----', '[REDACTED]']
  // Of a key that begins above, in what Docker answers at first.
  for (const text of ['SECRET0', end, begin, 'SECRET1']) world.docker.write(container, text, 2)
  world.docker.write(container, 'a')
  const relay = await streaming(world, { type: 'docker', container, process_id: 7 })
  await eventually(() => lines(relay).length === 5)
  await eventually(() => world.docker.asked.some((url) => url.includes('follow=1')))
  world.docker.write(container, 'SECRET2', 2)
  world.docker.write(container, 'b')
  world.docker.write(container, end, 2)
  world.docker.write(container, 'c', 2)
  await world.until(() => lines(relay).length === 9)
  assert.deepEqual(lines(relay), [masked, masked, masked, masked, 'a', masked, 'b', masked, 'c'])
})
