import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { PassThrough, Writable } from 'node:stream'
import { test } from 'node:test'
import { type Command, run, script, withPayload } from '@fleet/shell'
import { startTestNode } from '@fleet/testing'
import { SshFailure } from './types.ts'

const OPTIONS = { timeoutMilliseconds: 60_000 }
const BYTES = 32 * 1024 * 1024
/** A script that reads what follows it. */
const fed = (command: Command): Command => withPayload(command, new Uint8Array())
const ZEROS = script('head -c "$1" /dev/zero', BYTES)

test('the output of one command is the input of another, after its own input', async () => {
  await using node = await startTestNode()
  const between = new PassThrough()
  const [sent, taken] = await Promise.all([
    node.pool.run(node.target, ZEROS, { ...OPTIONS, stdoutTo: between }),
    node.pool.run(node.target, fed(script('echo "$1"; sha256sum', 'taken')), {
      ...OPTIONS,
      stdinFrom: between,
    }),
  ])
  const digest = createHash('sha256').update(Buffer.alloc(BYTES)).digest('hex')
  assert.deepEqual([sent.exitCode, sent.stdout.length], [0, 0])
  assert.deepEqual([taken.exitCode, taken.stdout.toString()], [0, `taken\n${digest}  -\n`])
})

test('a reader that stops holds the command back, and nothing is buffered for it', async () => {
  await using node = await startTestNode()
  let total = 0
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      total += chunk.length
      // oxlint-disable-next-line promise/no-callback-in-promise -- a Writable of Node ends a write by its callback
      void held.then(() => done())
    },
  })
  const sending = node.pool.run(node.target, ZEROS, { ...OPTIONS, stdoutTo: slow })
  for (let turn = 0; turn < 30; turn += 1) await node.pool.run(node.target, run('true'), OPTIONS)
  assert.ok(slow.writableLength < 1024 * 1024, `${slow.writableLength} bytes wait`)
  release()
  assert.equal((await sending).exitCode, 0)
  assert.equal(total, BYTES)
})

test('a reader that is slower than the command gets no listener for each pause', async () => {
  await using node = await startTestNode()
  let [writes, most] = [0, 0]
  const slow = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => {
      writes += 1
      most = Math.max(most, slow.listenerCount('close'), slow.listenerCount('drain'))
      setImmediate(done)
    },
  })
  await node.pool.run(node.target, ZEROS, { ...OPTIONS, stdoutTo: slow })
  assert.ok(writes > 50 && most <= 5, `${most} listeners after ${writes} writes`)
})

test('an input that breaks off is no end: the command gives no exit code', async () => {
  await using node = await startTestNode()
  const broken = new PassThrough()
  broken.write('half')
  const taking = node.pool.run(node.target, fed(script('cat')), { ...OPTIONS, stdinFrom: broken })
  broken.destroy()
  await assert.rejects(taking, (error) => error instanceof SshFailure && error.kind === 'connection_lost')
})

test('a command that ends early lets go of its input', async () => {
  await using node = await startTestNode()
  const between = new PassThrough()
  const [sent, taken] = await Promise.all([
    node.pool.run(node.target, ZEROS, { ...OPTIONS, stdoutTo: between }),
    node.pool.run(node.target, script('exit 3'), { ...OPTIONS, stdinFrom: between }),
  ])
  assert.deepEqual([sent.exitCode, taken.exitCode, between.destroyed], [0, 3, true])
})
