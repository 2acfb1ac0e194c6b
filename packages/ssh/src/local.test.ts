import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { Secret } from '@fleet/kernel'
import { run, script, withPayload, withStdin } from '@fleet/shell'
import { eventually, isRunning } from '@fleet/testing'
import { runLocally } from './local.ts'

const place = (t: TestContext) => {
  const cwd = mkdtempSync(join(tmpdir(), 'fleet-local-'))
  t.after(() => rmSync(cwd, { recursive: true }))
  return { cwd, env: { PATH: '/usr/bin:/bin' }, timeoutMilliseconds: 30_000 }
}

test('a command runs in its directory with its environment alone', async (t) => {
  const options = place(t)
  const { stdout, exitCode } = await runLocally(script('pwd; env | cut -d = -f 1 | sort; exit 4'), options)
  assert.deepEqual([stdout.toString().split('\n').slice(0, 3), exitCode], [[options.cwd, 'PATH', 'PWD'], 4])
})

test('standard input arrives, and one that is not read harms nothing', async (t) => {
  const big = new Secret('x'.repeat(2_000_000))
  assert.equal(
    (await runLocally(withStdin(run('wc', '-c'), big), place(t))).stdout.toString().trim(),
    '2000000',
  )
  assert.equal((await runLocally(withStdin(run('true'), big), place(t))).exitCode, 0)
})

test('bytes of a payload arrive as they are, after the text', async (t) => {
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)
  const fed = withPayload(withStdin(run('cat'), new Secret('text\n')), bytes)
  const { stdout } = await runLocally(fed, place(t))
  assert.deepEqual(stdout, Buffer.concat([Buffer.from('text\n'), bytes]))
})

test('a cancelled command takes its whole process group with it', async (t) => {
  const options = place(t)
  const file = join(options.cwd, 'grandchild')
  const control = new AbortController()
  const family = script('sh -c "sleep 300 & echo \\$! >grandchild; wait"; true')
  const cancelled = runLocally(family, { ...options, signal: control.signal })
  await eventually(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'))
  control.abort()
  await assert.rejects(cancelled, { kind: 'cancelled', sent: true })
  assert.equal(isRunning(Number(readFileSync(file, 'utf8'))), false)
})

test('a command that ignores TERM is killed when its time is over', async (t) => {
  const options = { ...place(t), timeoutMilliseconds: 300 }
  await assert.rejects(runLocally(script('trap "" TERM; while :; do sleep 1; done'), options), {
    kind: 'timeout',
    sent: true,
  })
})

test('a command that would start after it was cancelled does not start', async (t) => {
  const options = place(t)
  const started = runLocally(run('touch', 'file'), { ...options, signal: AbortSignal.abort() })
  await assert.rejects(started, { kind: 'cancelled', sent: false })
  assert.equal(existsSync(join(options.cwd, 'file')), false)
})

test('more output than allowed ends the command', async (t) => {
  const endless = runLocally(run('yes'), { ...place(t), maxOutputBytes: 1000 })
  await assert.rejects(endless, { kind: 'output_too_large', sent: true })
})

test('a directory that is missing is an error, not a result', async (t) => {
  await assert.rejects(runLocally(run('true'), { ...place(t), cwd: '/missing/directory' }), {
    code: 'ENOENT',
  })
})

test('the output of one command is the input of another, and an input that breaks off is no end', async (t) => {
  const options = place(t)
  const between = new PassThrough()
  const [sent, taken] = await Promise.all([
    runLocally(script('echo some; echo lines'), { ...options, stdoutTo: between }),
    runLocally(withPayload(run('wc', '-l'), new Uint8Array()), { ...options, stdinFrom: between }),
  ])
  assert.deepEqual([sent.exitCode, sent.stdout.length, taken.stdout.toString().trim()], [0, 0, '2'])
  const broken = new PassThrough()
  const taking = runLocally(run('cat'), { ...options, stdinFrom: broken })
  broken.write('half')
  broken.destroy()
  assert.deepEqual([(await taking).exitCode, (await taking).signal], [null, 'SIGKILL'])
})
