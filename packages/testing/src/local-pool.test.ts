import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { run, script } from '@fleet/shell'
import type { SshTarget } from '@fleet/ssh'
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
