import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { Secret } from '@fleet/kernel'
import { run, script, withPayload, withStdin } from '@fleet/shell'
import type { SshTarget } from '@fleet/ssh'
import { eventually, isRunning } from './ssh-node.ts'
import { localPool, type LocalPool } from './local-pool.ts'

const target: SshTarget = { nodeId: 1, host: 'unused', port: 22, user: 'unused', fingerprint: 'unused' }
const options = { timeoutMilliseconds: 10_000 }

const fresh = (t: TestContext): { pool: LocalPool; home: string } => {
  const home = mkdtempSync(join(tmpdir(), 'fleet-local-pool-'))
  t.after(() => rmSync(home, { recursive: true }))
  return { pool: localPool({ home, env: { GREETING: 'hello' } }), home }
}

test('commands run here, in the home, with the given environment and nothing inherited', async (t) => {
  const { pool, home } = fresh(t)
  const result = await pool.run(target, script('# look\npwd; echo "$HOME $GREETING"; env | wc -l'), options)
  const [cwd, variables, count] = result.stdout.toString().split('\n')
  assert.deepEqual([cwd, variables], [home, `${home} hello`])
  assert.ok(Number(count) < 10)
  assert.deepEqual(pool.commands, ['script look'])
})

test('a script reaches what a test installed, and no program that changes this machine as a whole', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'fleet-local-pool-'))
  t.after(() => rmSync(home, { recursive: true }))
  writeFileSync(join(home, 'useradd'), '#!/bin/sh\necho installed\n', { mode: 0o755 })
  for (const env of [{}, { PATH: `${home}:/usr/bin:/bin` }]) {
    const { stderr, exitCode } = await localPool({ home, env }).run(
      target,
      run('apt-get', '--version'),
      options,
    )
    assert.deepEqual([exitCode, stderr.toString()], [97, 'a test reached apt-get of this machine\n'])
  }
  const pool = localPool({ home, env: { PATH: `${home}:/usr/bin:/bin` } })
  assert.equal((await pool.run(target, run('useradd', 'fleet'), options)).stdout.toString(), 'installed\n')
})

test('a command that fails before it is sent leaves nothing behind', async (t) => {
  const { pool, home } = fresh(t)
  pool.failBefore(2)
  await pool.run(target, run('touch', 'first'), options)
  await assert.rejects(pool.run(target, run('touch', 'second'), options), {
    kind: 'unreachable',
    sent: false,
  })
  assert.deepEqual([existsSync(join(home, 'first')), existsSync(join(home, 'second'))], [true, false])
  assert.deepEqual([pool.commands, pool.executed], [['touch first', 'touch second'], ['touch first']])
})

test('a lost reply hides work that was done', async (t) => {
  const { pool, home } = fresh(t)
  pool.loseReplyOf((shown) => shown.startsWith('touch'))
  const lost = pool.run(target, run('touch', 'file'), options)
  await assert.rejects(lost, { kind: 'connection_lost', sent: true })
  assert.ok(existsSync(join(home, 'file')))
  pool.clearFaults()
  assert.equal((await pool.run(target, run('touch', 'file'), options)).exitCode, 0)
})

test('a command that is cancelled ends with its whole group, and says that it had begun', async (t) => {
  const { pool, home } = fresh(t)
  const control = new AbortController()
  const file = join(home, 'begun')
  const cancelled = pool.run(target, script('echo $$ >begun; sleep 300 & wait'), {
    ...options,
    signal: control.signal,
  })
  await eventually(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'))
  control.abort()
  await assert.rejects(cancelled, { kind: 'cancelled', sent: true })
  assert.equal(isRunning(Number(readFileSync(file, 'utf8'))), false)
})

test('output arrives in pieces where somebody listens, and too much of it ends the command', async (t) => {
  const { pool } = fresh(t)
  const pieces: string[] = []
  const listened = await pool.run(target, script('echo one; echo two >&2'), {
    ...options,
    onOutput: (stream, chunk) => void pieces.push(`${stream} ${chunk.toString()}`),
  })
  assert.deepEqual(
    [pieces.toSorted(), listened.stdout.length, listened.exitCode],
    [['stderr two\n', 'stdout one\n'], 0, 0],
  )
  await assert.rejects(pool.run(target, run('yes'), { ...options, maxOutputBytes: 1000 }), {
    kind: 'output_too_large',
    sent: true,
  })
})

test('standard input and bytes reach the command, and a stream leads to it and from it', async (t) => {
  const { pool } = fresh(t)
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)
  const fed = withPayload(withStdin(run('cat'), new Secret('text\n')), bytes)
  const { stdout } = await pool.run(target, fed, options)
  assert.deepEqual(stdout, Buffer.concat([Buffer.from('text\n'), bytes]))
  const out = new PassThrough()
  const piped = pool.run(target, run('tr', 'a', 'b'), {
    ...options,
    stdinFrom: Readable.from(['aa']),
    stdoutTo: out,
  })
  assert.equal((await out.toArray()).join(''), 'bb')
  assert.equal((await piped).exitCode, 0)
})
