import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { getEventListeners } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { run, script, withStdin } from '@fleet/shell'
import { isRunning, startTestNode } from '@fleet/testing'

const options = { timeoutMilliseconds: 30_000 }

test('a command answers with its exit code and the bytes of both outputs', async () => {
  await using node = await startTestNode()
  const command = script(String.raw`printf 'out\0\377\n'; printf 'err' >&2; exit 3`)
  const result = await node.pool.run(node.target, command, options)
  assert.deepEqual([result.exitCode, result.signal], [3, null])
  assert.deepEqual(result.stdout, Buffer.from([...Buffer.from('out'), 0, 0xff, 0x0a]))
  assert.equal(result.stderr.toString(), 'err')
})

test('a command that a signal ended says which', async () => {
  await using node = await startTestNode()
  const result = await node.pool.run(node.target, { line: 'kill -s USR1 $$', shown: 'kill' }, options)
  assert.deepEqual([result.exitCode, result.signal], [null, 'SIGUSR1'])
})

test('commands share one connection per Node [GW-047]', async () => {
  await using node = await startTestNode()
  const at = (): Promise<unknown> => node.pool.run(node.target, run('true'), options)
  await Promise.all([at(), at(), at()])
  await at()
  assert.deepEqual([node.server.connections(), node.server.accepted(), node.server.commands()], [1, 1, 4])
})

test('fifty commands at once run eight at a time and all answer their own', async () => {
  await using node = await startTestNode()
  // Every command counts the marks of those that run beside it, its own included.
  const source = 'mkdir "mark-$1"; ls -d mark-* | wc -l; sleep 0.05; rmdir "mark-$1"; echo "$1"'
  const numbers = Array.from({ length: 50 }, (_, index) => index)
  const results = await Promise.all(
    numbers.map((number) => node.pool.run(node.target, script(source, number), options)),
  )
  const lines = results.map(({ stdout }) => stdout.toString().trim().split(/\s+/).map(Number))
  assert.deepEqual(
    lines.map(([, own]) => own),
    numbers,
  )
  const most = Math.max(...lines.map(([beside = 0]) => beside))
  assert.ok(most > 1 && most <= 8, `${most} at once`)
  assert.equal(node.server.accepted(), 1)
})

test('five megabytes of standard input arrive whole, and one that is not read harms nothing', async () => {
  await using node = await startTestNode()
  const text = 'ä€\n'.repeat(900_000)
  const sum = await node.pool.run(node.target, withStdin(run('sha256sum'), new Secret(text)), options)
  assert.equal(sum.stdout.toString().slice(0, 64), createHash('sha256').update(text).digest('hex'))
  const unread = await node.pool.run(node.target, withStdin(run('true'), new Secret(text)), options)
  assert.equal(unread.exitCode, 0)
})

test('long output on both streams at once arrives whole', async () => {
  await using node = await startTestNode()
  const source =
    'i=0; while [ $i -lt 50 ]; do head -c 100000 /dev/zero; head -c 99999 /dev/zero >&2; i=$((i+1)); done'
  const result = await node.pool.run(node.target, script(source), { ...options, maxOutputBytes: 6_000_000 })
  assert.deepEqual([result.stdout.length, result.stderr.length], [5_000_000, 4_999_950])
})

test('output up to the cap is kept; a byte more on either stream ends the command', async () => {
  await using node = await startTestNode()
  const capped = { ...options, maxOutputBytes: 1000 }
  const exact = await node.pool.run(node.target, run('head', '-c', 1000, '/dev/zero'), capped)
  assert.equal(exact.stdout.length, 1000)
  for (const source of ['head -c 1001 /dev/zero', 'echo $$ >pid; exec yes >&2']) {
    await assert.rejects(node.pool.run(node.target, script(source), capped), {
      kind: 'output_too_large',
      sent: true,
    })
  }
  assert.equal(isRunning(Number(await node.lineOf('pid'))), false)
})

test('a caller waiting for a free channel can give up, and its command never runs', async () => {
  await using node = await startTestNode({ maxChannels: 1 })
  const first = node.pool.run(node.target, script('while [ ! -e go ]; do sleep 0.02; done'), options)
  const control = new AbortController()
  const waiting = node.pool.run(node.target, run('touch', 'never'), { ...options, signal: control.signal })
  const third = node.pool.run(node.target, run('touch', 'third'), options)
  control.abort()
  await assert.rejects(waiting, { kind: 'cancelled', sent: false })
  const other = { ...node.target, nodeId: 2 }
  await node.pool.run(other, run('touch', 'go'), options)
  await Promise.all([first, third])
  assert.deepEqual(
    ['never', 'third'].map((name) => existsSync(join(node.home, name))),
    [false, true],
  )
})

test('a signal that outlives many commands keeps no listeners', async () => {
  await using node = await startTestNode()
  const { signal } = new AbortController()
  for (let count = 0; count < 20; count += 1)
    await node.pool.run(node.target, run('true'), { ...options, signal })
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('a pool that has ended runs nothing more', async () => {
  await using node = await startTestNode()
  await node.pool.run(node.target, run('true'), options)
  await node.pool[Symbol.asyncDispose]()
  await assert.rejects(node.pool.run(node.target, run('true'), options), { kind: 'cancelled', sent: false })
  assert.equal(node.server.commands(), 1)
})

test('long commands leave channels to short ones', async () => {
  await using node = await startTestNode({ maxChannels: 3, keptForShort: 1 })
  const wait = script('echo x >>begun; while [ ! -e go ]; do sleep 0.02; done')
  const long = [1, 2, 3].map(() => node.pool.run(node.target, wait, { ...options, isLong: true }))
  await node.lineOf('begun')
  assert.equal((await node.pool.run(node.target, run('true'), options)).exitCode, 0)
  await node.pool.run(node.target, run('touch', 'go'), options)
  await Promise.all(long)
  assert.equal(readFileSync(join(node.home, 'begun'), 'utf8'), 'x\nx\nx\n')
})
