import type { NodeRecord } from '#/nodes/record.ts'
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { CodedError } from '@fleet/kernel'
import { Deadline } from '@fleet/kernel'
import { run } from '@fleet/shell'
import { type RunOptions, SshFailure, type SshFailureKind, type SshTarget } from '@fleet/ssh'
import { fakeCall, FakeClock, FINGERPRINT, localPool } from '@fleet/testing'
import { makeSessions } from '#/nodes/sessions.ts'

const node: NodeRecord = {
  id: 7,
  name: 'web-1',
  status: 'active',
  platform: null,
  architecture: null,
  tld: null,
  cluster_id: null,
  public_ssh_host: 'public.example.com',
  public_ssh_port: 2222,
  user: 'fleet',
  user_home: '/home/fleet',
  wireguard_ip: '10.0.0.7',
  wireguard_public_key: null,
  wireguard_endpoint_override: null,
  dns_server_override: null,
  lan_ip: null,
  ssh_host_fingerprint: FINGERPRINT,
  ssh_port: 2022,
  apps_path: null,
  failed_step: null,
  error_code: null,
  agent_secret_hash: null,
  removal: null,
  updating: null,
  provisioned_at: null,
  created_at: '2026-01-01T00:00:00.000Z',
  activeRoles: ['app-dev'],
}
const details = { node: { id: 7, name: 'web-1' } }

/** Sessions whose pool answers or fails as given, and what reached the pool. */
function sessionsWith(failure?: SshFailure) {
  const seen: { target: SshTarget; options: RunOptions }[] = []
  const sessions = makeSessions({
    ...localPool({ home: '/' }),
    run: async (target, _command, options) => {
      seen.push({ target, options })
      if (failure) throw failure
      return { exitCode: 3, signal: null, stdout: Buffer.from('out'), stderr: Buffer.alloc(0) }
    },
  })
  return { sessions, seen }
}

const callWith = (secondsLeft: number) =>
  fakeCall({ deadline: new Deadline(new FakeClock(), secondsLeft, 20) })

test('a command goes to the tunnel address as the managed user with the pinned key, and its failure is a result', async () => {
  const { sessions, seen } = sessionsWith()
  const result = await sessions
    .overTunnel(callWith(570), node)
    .run(run('true'), { timeoutSeconds: 10, maxOutputBytes: 99 })
  assert.equal(result.exitCode, 3)
  assert.deepEqual(seen[0]?.target, {
    nodeId: 7,
    host: '10.0.0.7',
    port: 2022,
    user: 'fleet',
    fingerprint: FINGERPRINT,
  })
  assert.equal(seen[0]?.options.maxOutputBytes, 99)
})

const times = [
  { left: 570, options: { timeoutSeconds: 10 }, milliseconds: 10_000 },
  { left: 570, options: {}, milliseconds: 550_000 },
  { left: 2000, options: {}, milliseconds: 900_000 },
  { left: 30, options: { timeoutSeconds: 60 }, milliseconds: 10_000 },
  { left: 30, options: { timeoutSeconds: 60, cleanup: true }, milliseconds: 30_000 },
]
for (const { left, options, milliseconds } of times) {
  test(`with ${left} s left ${JSON.stringify(options)} gives ${milliseconds} ms [GW-034, GW-035]`, async () => {
    const { sessions, seen } = sessionsWith()
    await sessions.overTunnel(callWith(left), node).run(run('true'), options)
    assert.equal(seen[0]?.options.timeoutMilliseconds, milliseconds)
  })
}

test('what a command is given beside its time reaches the pool as it is, and what is not given does not', async () => {
  const { sessions, seen } = sessionsWith()
  const session = sessions.overTunnel(callWith(570), node)
  const given = {
    maxOutputBytes: 99,
    onOutput: () => undefined,
    isLong: true,
    stdoutTo: new PassThrough(),
    stdinFrom: new PassThrough(),
  }
  for (const options of [given, {}]) {
    await session.run(run('true'), { ...options, timeoutSeconds: 7 })
    const { signal, ...reached } = seen.pop()?.options ?? {}
    assert.deepEqual(reached, { ...options, timeoutMilliseconds: 7000 })
    assert.equal(signal?.aborted, false)
  }
})

test('a command ends with the signal of its call and with its own', async () => {
  const { sessions, seen } = sessionsWith()
  for (const which of ['call', 'own'] as const) {
    const [call, own] = [new AbortController(), new AbortController()]
    const session = sessions.overTunnel(fakeCall({ signal: call.signal }), node)
    await session.run(run('true'), { signal: own.signal })
    const reached = seen.pop()?.options.signal
    assert.equal(reached?.aborted, false)
    ;(which === 'call' ? call : own).abort()
    assert.equal(reached?.aborted, true)
  }
})

test('forward work without time left sends nothing; clean-up still may [GW-031, GW-034]', async () => {
  const { sessions, seen } = sessionsWith()
  await assert.rejects(sessions.overTunnel(callWith(20), node).run(run('true')), {
    code: 'command.deadline_exceeded',
    status: 504,
    details: { ...details, outcome: 'deadline' },
  })
  assert.equal(seen.length, 0)
  await sessions.overTunnel(callWith(20), node).run(run('true'), { cleanup: true })
  assert.equal(seen.length, 1)
})

const failures: readonly (readonly [SshFailureKind, boolean, string])[] = [
  ['unreachable', false, 'node.unreachable'],
  ['host_key_changed', false, 'node.ssh_host_key_changed'],
  ['authentication', false, 'node.authentication_failed'],
  ['connection_lost', true, 'node.connection_lost'],
  ['output_too_large', true, 'node.output_too_large'],
  ['cancelled', true, 'node.connection_lost'],
  ['cancelled', false, 'http.draining'],
]
const ADDRESS = `${node.wireguard_ip}:${node.ssh_port}`
const NOT_REACHED: readonly SshFailureKind[] = [
  'unreachable',
  'host_key_changed',
  'authentication',
  'connection_lost',
]
for (const [kind, sent, code] of failures) {
  test(`${kind} ${sent ? 'after' : 'before'} the command began is ${code} and names the Node`, async () => {
    const failure = new SshFailure(kind, sent)
    const { sessions } = sessionsWith(failure)
    await assert.rejects(sessions.overTunnel(callWith(570), node).run(run('true')), (error: CodedError) => {
      const tried = NOT_REACHED.includes(kind) ? { addresses: [ADDRESS] } : {}
      const refused = kind === 'authentication' ? { user: node.user } : {}
      assert.deepEqual(
        [error.code, error.details, error.cause],
        [code, { ...details, ...tried, ...refused }, failure],
      )
      assert.equal(error.message.includes(ADDRESS), NOT_REACHED.includes(kind))
      return true
    })
  })
}

test("a command's own timeout is distinguished from the end of the request's time", async () => {
  const { sessions } = sessionsWith(new SshFailure('timeout', true))
  const outcome = (value: string) => ({
    code: 'command.deadline_exceeded',
    details: { ...details, outcome: value },
  })
  await assert.rejects(
    sessions.overTunnel(callWith(570), node).run(run('true'), { timeoutSeconds: 5 }),
    outcome('timeout'),
  )
  await assert.rejects(
    sessions.overTunnel(callWith(30), node).run(run('true'), { timeoutSeconds: 60 }),
    outcome('deadline'),
  )
})

test('a Node without a pinned key or without an address is never contacted [NODE-012]', async () => {
  const { sessions, seen } = sessionsWith()
  const unpinned = sessions
    .overTunnel(callWith(570), { ...node, ssh_host_fingerprint: null })
    .run(run('true'))
  await assert.rejects(unpinned, { code: 'node.ssh_host_key_missing', details })
  const unplaced = sessions.overTunnel(callWith(570), { ...node, wireguard_ip: null }).run(run('true'))
  await assert.rejects(unplaced, { code: 'node.unreachable', details })
  assert.equal(seen.length, 0)
})
