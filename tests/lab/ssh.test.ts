import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SshPool, SshTarget } from '@fleet/ssh'
import { run, script } from '@fleet/shell'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { fileOn, onHosts, poolOf, processesOf, targetOf, testLab } from './site.ts'

const options = { timeoutMilliseconds: 60_000 }
const KEEPALIVE = { keepaliveSeconds: 1, keepaliveCount: 2, connectTimeoutMilliseconds: 2000 }
/** Three unanswered questions, one second apart, and what the test itself takes. */
const NOTICED_MILLISECONDS = 6000
/** The time to connect, and what the test itself takes. */
const GIVEN_UP_MILLISECONDS = 4000

interface Bench {
  readonly host: Host
  readonly pool: SshPool
  readonly target: SshTarget
}

/** One host and a pool that notices silence soon. */
async function withHost(name: string, work: (bench: Bench) => Promise<void>): Promise<void> {
  const lab = await testLab()
  await using host = await lab.host({ name })
  await using pool = poolOf(lab, KEEPALIVE)
  await work({ host, pool, target: await targetOf(host) })
}

/** Logins that the host's sshd accepted so far. */
async function logins(host: Host): Promise<number> {
  const { stdout } = await host.attempt(['journalctl', '--unit=ssh', '--output=cat', '--no-pager'])
  return stdout.split('\n').filter((line) => line.startsWith('Accepted ')).length
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Asserts that a running command, and then a new one, fail in time, when the host falls silent. */
async function fallsSilent(bench: Bench, silence: () => Promise<void>): Promise<void> {
  const { host, pool, target } = bench
  const running = pool.run(target, run('sleep', 401), options)
  running.catch(() => undefined)
  await untilRunning(host, 'sleep 401')
  await silence()
  const noticed = await milliseconds(() => assert.rejects(running, { kind: 'connection_lost', sent: true }))
  assert.ok(noticed < NOTICED_MILLISECONDS, `noticed after ${noticed} ms`)
  const refused = await milliseconds(() =>
    assert.rejects(pool.run(target, run('true'), options), { kind: 'unreachable', sent: false }),
  )
  assert.ok(refused < GIVEN_UP_MILLISECONDS, `given up after ${refused} ms`)
}

async function untilRunning(host: Host, commandLine: string): Promise<void> {
  const found = await waitFor(10, async () =>
    (await processesOf(host, commandLine)).length > 0 ? true : undefined,
  )
  assert.ok(found, `${commandLine} runs on ${host.name}`)
}

test('a swapped host key is refused before any command, and before any login', onHosts, () =>
  withHost('swapped', async ({ host, pool, target }) => {
    assert.equal((await pool.run(target, run('touch', '/root/first'), options)).exitCode, 0)
    pool.forget(target.nodeId)
    const before = await logins(host)
    assert.ok(before > 0)
    assert.notEqual(await host.swapHostKey(), target.fingerprint)
    await assert.rejects(pool.run(target, run('touch', '/root/second'), options), {
      kind: 'host_key_changed',
      sent: false,
    })
    await assert.rejects(pool.probe(target, 5000), { kind: 'host_key_changed', sent: false })
    assert.deepEqual([await fileOn(host, '/root/first'), await fileOn(host, '/root/second')], ['', undefined])
    assert.equal(await logins(host), before)
    await host.restoreHostKey()
    assert.equal((await pool.run(target, run('touch', '/root/third'), options)).exitCode, 0)
    assert.equal(await logins(host), before + 1)
  }),
)

test(
  'a cancelled command leaves no process of its group in the host, those of another user included',
  onHosts,
  () =>
    withHost('cancelled', async ({ host, pool, target }) => {
      const control = new AbortController()
      const family = script('sleep 411 & sudo -u nobody sleep 412 & sh -c "sleep 413; true" & wait')
      const cancelled = pool.run(target, family, { ...options, signal: control.signal })
      cancelled.catch(() => undefined)
      for (const number of [411, 412, 413]) await untilRunning(host, `sleep ${number}`)
      control.abort()
      await assert.rejects(cancelled, { kind: 'cancelled', sent: true })
      for (const number of [411, 412, 413]) assert.deepEqual(await processesOf(host, `sleep ${number}`), [])
      assert.equal((await pool.run(target, run('true'), options)).exitCode, 0)
    }),
)

test('a host cut off in the middle of a command is given up in time and found again', onHosts, () =>
  withHost('cut-off', async (bench) => {
    const { host, pool, target } = bench
    await fallsSilent(bench, () => host.cutOff())
    await host.restore()
    assert.equal((await pool.run(target, run('hostname'), options)).stdout.toString(), 'cut-off\n')
  }),
)

test('a host whose programs stand still is given up in time and found again', onHosts, () =>
  withHost('paused', async (bench) => {
    const { host, pool, target } = bench
    await fallsSilent(bench, () => host.pause())
    await host.resume()
    assert.equal((await pool.run(target, run('hostname'), options)).stdout.toString(), 'paused\n')
  }),
)

test('a host whose power goes is given up in time, and its key is the same when it is back', onHosts, () =>
  withHost('killed', async (bench) => {
    const { host, pool, target } = bench
    await fallsSilent(bench, () => host.kill())
    await host.revive()
    assert.equal((await pool.run(target, run('hostname'), options)).stdout.toString(), 'killed\n')
  }),
)
