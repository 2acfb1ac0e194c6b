import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { copyDatabaseFile } from './copy.ts'
import { answerTo } from './program.ts'

const PROGRAM = import.meta.resolve('./carry-program.ts')
const MAIN = `import { main } from '${PROGRAM}'\nprocess.exitCode = await main(process.argv.slice(1))`

/** Runs the program with a request and what follows it. */
async function carry(word: string, request: object, content: Uint8Array = Buffer.alloc(0)) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', MAIN, '--', word])
  child.stdin.on('error', () => undefined)
  child.stdin.write(`${JSON.stringify(request)}\n`)
  child.stdin.end(content)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const [errors] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, output: Buffer.concat(chunks), errors }
}

const answered = async (...given: Parameters<typeof carry>): Promise<unknown> => {
  const { code, output, errors } = await carry(...given)
  assert.equal(code, 0, errors)
  return JSON.parse(output.toString())
}

function ground() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-carry-')))
  const [fromRoot, toRoot] = [join(root, 'source'), join(root, 'target')]
  for (const each of [fromRoot, toRoot]) mkdirSync(each)
  const from = join(fromRoot, 'shop.sqlite')
  using database = new DatabaseSync(from)
  database.exec(
    'PRAGMA journal_mode = wal; CREATE TABLE t (id INTEGER PRIMARY KEY, pair INTEGER, filler TEXT)',
  )
  database.exec("INSERT INTO t (pair, filler) VALUES (0, 'a'), (0, 'b')")
  return {
    root,
    from,
    toRoot,
    source: { id: randomUUID(), from, fromRoot },
    target: { to: join(toRoot, 'data', 'shop.sqlite'), toRoot },
    entries: () => readdirSync(join(toRoot, 'data')).toSorted(),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

function rowsIn(path: string): { readonly rows: number; readonly odd: number } {
  using copy = new DatabaseSync(path)
  const value = (sql: string): unknown => Object.values(copy.prepare(sql).get() ?? {})[0]
  assert.equal(value('PRAGMA integrity_check'), 'ok')
  const odd = 'SELECT count(*) FROM (SELECT pair FROM t GROUP BY pair HAVING count(*) <> 2)'
  return { rows: Number(value('SELECT count(*) FROM t')), odd: Number(value(odd)) }
}

// Each transaction adds a pair of rows: a copy of one moment has no odd one.
const WRITER = `
import { DatabaseSync } from 'node:sqlite'
const database = new DatabaseSync(process.argv[1], { timeout: 60000 })
const add = database.prepare('INSERT INTO t (pair, filler) VALUES (?, ?)')
for (let pair = 1; ; pair += 1) {
  database.exec('BEGIN IMMEDIATE')
  add.run(pair, 'x'.repeat(3000))
  add.run(pair, 'y'.repeat(3000))
  database.prepare('DELETE FROM t WHERE pair < ?').run(pair - 50)
  database.exec('COMMIT')
  if (pair === 1) process.stdout.write('writing')
}`

// Ends in the middle of a transaction that has written to the file already.
const KILLED = `
import { DatabaseSync } from 'node:sqlite'
const database = new DatabaseSync(process.argv[1])
database.exec("PRAGMA cache_size = 5; BEGIN IMMEDIATE; UPDATE t SET pair = 7; INSERT INTO t (pair, filler) VALUES (9, 'z')")
const add = database.prepare('INSERT INTO t (pair, filler) VALUES (8, ?)')
for (let row = 0; row < 200; row += 1) add.run('x'.repeat(3000))
process.kill(process.pid, 'SIGKILL')`

const leftovers = (id: string): readonly string[] =>
  readdirSync('/var/tmp').filter((name) => name.includes(id))

for (const journal of ['wal', 'delete'] as const)
  test(`a database that is written to arrives as of one moment, with its digest at both ends: ${journal} [INS-065]`, async () => {
    using place = ground()
    new DatabaseSync(place.from).exec(`PRAGMA journal_mode = ${journal}`)
    const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, '--', place.from], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    try {
      await once(writer.stdout, 'data')
      for (let time = 0; time < 2; time += 1) {
        const { code, output } = await carry('send', place.source)
        const line = output.indexOf('\n')
        const header: unknown = JSON.parse(output.subarray(0, line).toString())
        const bytes = output.subarray(line + 1)
        assert.equal(code, 0)
        assert.deepEqual(header, {
          bytes: bytes.length,
          digest: digestOf(bytes),
          mode: statSync(place.from).mode & 0o777,
        })
        assert.deepEqual(await answered('receive', place.target, output), { done: digestOf(bytes) })
        assert.deepEqual(readFileSync(place.target.to), bytes)
        const { rows, odd } = rowsIn(place.target.to)
        assert.deepEqual([rows > 2, odd], [true, 0])
      }
    } finally {
      writer.kill('SIGKILL')
      await once(writer, 'exit')
    }
    assert.deepEqual([place.entries(), leftovers(place.source.id)], [['shop.sqlite'], []])
  })

test('what does not arrive whole is not there: what was there before stays, and nothing else', async () => {
  using place = ground()
  const { output } = await carry('send', place.source)
  mkdirSync(join(place.toRoot, 'data'))
  writeFileSync(place.target.to, 'of an earlier attempt')
  const changed = Buffer.from(output)
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  const torn = { end: 'way', problem: 'torn' }
  for (const content of [Buffer.alloc(0), output.subarray(0, 10), output.subarray(0, -1), changed])
    assert.deepEqual(await answered('receive', place.target, content), torn)
  assert.deepEqual(
    await answered('receive', place.target, Buffer.concat([output, Buffer.from('more')])),
    torn,
  )
  assert.deepEqual(place.entries(), ['shop.sqlite'])
  assert.equal(readFileSync(place.target.to, 'utf8'), 'of an earlier attempt')
  // Whole, and no database.
  const bytes = Buffer.from('no database '.repeat(100))
  const header = { bytes: bytes.length, digest: digestOf(bytes), mode: 0o600 }
  const whole = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), bytes])
  assert.deepEqual(await answered('receive', place.target, whole), { end: 'destination', problem: 'damaged' })
  assert.equal(readFileSync(place.target.to, 'utf8'), 'of an earlier attempt')
  for (const end of ['-wal', '-shm', '.fleet-copy']) writeFileSync(`${place.target.to}${end}`, 'older')
  chmodSync(place.from, 0o640)
  const second = await carry('send', place.source)
  await answered('receive', place.target, second.output)
  assert.deepEqual([place.entries(), statSync(place.target.to).mode & 0o777], [['shop.sqlite'], 0o640])
  assert.deepEqual(await answered('drop', place.target), { done: 'dropped' })
  assert.deepEqual([place.entries(), await answered('drop', place.target)], [[], { done: 'dropped' }])
})

test('a source that is missing, elsewhere, no database or damaged is refused before a byte is sent, and the receiver repeats why', async () => {
  using place = ground()
  const link = join(place.root, 'source', 'link.sqlite')
  symlinkSync(join(place.root, 'away.sqlite'), link)
  const refused = async (from: string, problem: string, words = ['send', 'digest']) => {
    for (const word of words) {
      const answer = await answered(word, { ...place.source, from })
      assert.deepEqual(answer, { end: 'source', problem }, `${word} ${from}`)
      const received = await answered('receive', place.target, Buffer.from(`${JSON.stringify(answer)}\n`))
      assert.deepEqual(received, answer)
    }
  }
  const all = ['send', 'digest', 'examine']
  await refused(`${place.from}x`, 'missing', all)
  await refused(join(place.root, 'source'), 'missing', all)
  writeFileSync(join(place.root, 'away.sqlite'), '')
  await refused(link, 'outside', all)
  const text = join(place.root, 'source', 'text')
  writeFileSync(text, 'no database '.repeat(100))
  await refused(text, 'damaged', all)
  const damaged = join(place.root, 'source', 'damaged')
  {
    using database = new DatabaseSync(damaged)
    database.exec('PRAGMA page_size = 512; CREATE TABLE t (a); CREATE INDEX i ON t (a)')
    const add = database.prepare('INSERT INTO t VALUES (?)')
    for (let row = 0; row < 500; row += 1) add.run(`row ${row}`)
  }
  const bytes = readFileSync(damaged)
  bytes.fill(0xff, 512 * 4, 512 * 6)
  writeFileSync(damaged, bytes)
  await refused(damaged, 'damaged')
  assert.deepEqual([existsSync(place.target.to), leftovers(place.source.id)], [false, []])
  assert.deepEqual(await answered('examine', place.source), { done: 'examined' })
})

test('the digest of a database is that of what is sent, and another one once somebody has changed a row', async () => {
  using place = ground()
  const { output } = await carry('send', place.source)
  const sent = { done: digestOf(output.subarray(output.indexOf('\n') + 1)) }
  assert.deepEqual(await answered('digest', place.source), sent)
  using database = new DatabaseSync(place.from)
  database.exec("UPDATE t SET filler = 'c' WHERE id = 1")
  assert.notDeepEqual(await answered('digest', place.source), sent)
})

test('a sender that was killed leaves a snapshot, which the next one of the same carriage removes', async () => {
  using place = ground()
  const left = join('/var/tmp', `fleet-sqlite-${place.source.id}`)
  mkdirSync(left)
  writeFileSync(join(left, 'snapshot'), 'half of one')
  const { output } = await carry('send', place.source)
  assert.deepEqual(await answered('receive', place.target, output), {
    done: digestOf(readFileSync(place.target.to)),
  })
  assert.deepEqual(leftovers(place.source.id), [])
})

test('what a killed sender has left goes with the next command on that machine, and what a living one has stays', async () => {
  using place = ground()
  const sleeper = spawn('sleep', ['60'], { stdio: 'ignore' })
  await once(sleeper, 'spawn')
  const start = readFileSync(`/proc/${sleeper.pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19]
  const [own, other] = [randomUUID(), randomUUID()]
  const left = `/var/tmp/fleet-sqlite-${own}.${sleeper.pid}.${start}`
  // Its number is taken again, by somebody who came later.
  const reused = `/var/tmp/fleet-sqlite-${other}.${sleeper.pid}.${Number(start) - 1}`
  try {
    for (const folder of [left, reused]) {
      mkdirSync(folder)
      writeFileSync(join(folder, 'snapshot'), 'half of one')
    }
    await answered('examine', place.source)
    assert.deepEqual([leftovers(own).length, leftovers(other)], [1, []])
  } finally {
    sleeper.kill('SIGKILL')
    await once(sleeper, 'exit')
  }
  await answered('drop', place.target)
  assert.deepEqual(leftovers(own), [])
})

test('what a writer that was killed has left half done is undone: the last transaction is examined, sent and copied', async () => {
  using place = ground()
  const killed = (path: string): void => {
    spawnSync(process.execPath, ['--input-type=module', '-e', KILLED, '--', path])
    assert.ok(statSync(`${path}-journal`).size > 0)
  }
  const before = rowsIn(place.from)
  new DatabaseSync(place.from).exec('PRAGMA journal_mode = delete')
  killed(place.from)
  assert.deepEqual(await answered('examine', place.source), { done: 'examined' })
  assert.ok(existsSync(`${place.from}-journal`), 'examining undoes nothing')
  const { output } = await carry('send', place.source)
  await answered('receive', place.target, output)
  assert.deepEqual([rowsIn(place.target.to), rowsIn(place.from)], [before, before])
  killed(place.from)
  const copy = {
    from: place.from,
    fromRoot: place.source.fromRoot,
    to: `${place.target.to}2`,
    toRoot: place.toRoot,
  }
  assert.equal(
    await copyDatabaseFile(copy, () => Promise.reject(new Error('no blocks are shared'))),
    'backup',
  )
  assert.deepEqual(rowsIn(copy.to), before)
  // A read puts nothing right, and says who does.
  killed(place.from)
  const read = { token: '0'.repeat(64), path: place.from, timeoutMilliseconds: 5000 }
  const asked = (sql: string, write: boolean): unknown =>
    JSON.parse(answerTo(JSON.stringify({ ...read, ask: { kind: 'query', sql, write } })))
  assert.partialDeepStrictEqual(asked('select count(*) from t', false), {
    kind: 'failure',
    details: { reason: 'statement', condition: 'SQLITE_READONLY_ROLLBACK' },
  })
  assert.partialDeepStrictEqual(asked('select count(*) from t', true), { kind: 'rows' })
  assert.partialDeepStrictEqual(asked('select count(*) from t', false), {
    kind: 'rows',
    rows: [[before.rows]],
  })
})

test('a place with a claim keeps what somebody else has there, and an attempt of the same claim is replaced and dropped', async () => {
  using place = ground()
  const target = { ...place.target, claim: 'one' }
  const { output } = await carry('send', place.source)
  const foreign = { end: 'destination', problem: 'occupied' }
  mkdirSync(join(place.toRoot, 'data'))
  for (const end of ['', '-wal']) {
    writeFileSync(`${target.to}${end}`, 'of somebody else')
    assert.deepEqual(await answered('receive', target, output), foreign)
    assert.deepEqual(await answered('drop', target), { done: 'dropped' })
    assert.equal(readFileSync(`${target.to}${end}`, 'utf8'), 'of somebody else')
    rmSync(`${target.to}${end}`)
  }
  await answered('receive', target, output)
  assert.deepEqual(await answered('receive', { ...target, claim: 'two' }, output), foreign)
  await answered('receive', target, output)
  assert.deepEqual(place.entries(), ['shop.sqlite', 'shop.sqlite.fleet-one'])
  assert.deepEqual(await answered('drop', { ...target, claim: 'two' }), { done: 'dropped' })
  assert.deepEqual(place.entries(), ['shop.sqlite', 'shop.sqlite.fleet-one'])
  await answered('drop', target)
  assert.deepEqual(place.entries(), [])
  await answered('receive', target, output)
  assert.deepEqual(await answered('release', target), { done: 'released' })
  assert.deepEqual(await answered('drop', target), { done: 'dropped' })
  assert.deepEqual([place.entries(), rowsIn(target.to).rows], [['shop.sqlite'], 2])
})

test('words and requests that it does not know end with 64', async () => {
  for (const [word, request] of [
    ['other', { id: 'i', from: '/x' }],
    ['other', { to: '/x', toRoot: '/' }],
    ['send', {}],
  ] as const)
    assert.equal((await carry(word, request)).code, 64)
})
