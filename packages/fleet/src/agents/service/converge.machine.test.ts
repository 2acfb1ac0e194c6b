import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { LockBusy } from '@fleet/store'
import { fakeLock } from '@fleet/testing'
import { AGENT_UNIT } from '#/agents/service/agent.ts'
import { agentWorld, TARGET } from '#/agents/service/world.test.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const restarts = (calls: readonly string[]): number =>
  calls.filter((call) => call.startsWith('restart')).length

test('a blank Node gets secret, configuration, certificate and unit; the gateway keeps a hash alone [AGT-011, AGT-012, AGT-013, AGT-018]', async (context) => {
  const world = await agentWorld(context)
  assert.equal(await world.converge(), 'applied')
  const secret = world.read('etc/fleet/agent/secret') ?? ''
  assert.match(secret, /^[0-9a-f]{64}$/)
  assert.equal(await world.storedHash(), sha256(secret))
  assert.equal(
    world.read('etc/fleet/agent/config.toml'),
    'gateway_url = "https://gateway.fleet"\ngateway_address = "10.44.0.1"\n',
  )
  assert.equal(world.read('etc/fleet/agent/ca.pem'), TARGET.rootCertificate)
  assert.equal(world.modeOf('etc/fleet/agent'), 0o700)
  assert.deepEqual(
    ['secret', 'config.toml', 'ca.pem'].map((name) => world.modeOf(`etc/fleet/agent/${name}`)),
    [0o600, 0o600, 0o600],
  )
  assert.equal(world.modeOf('etc/systemd/system/fleet-agent.service'), 0o644)
  for (const shown of world.pool.executed) assert.ok(!shown.includes(secret))
})

test('the agent, which has no capability, may pass through a closed home of the managed user, and an open one stays', async (context) => {
  if (process.getuid?.() !== 0) return context.skip('only root can give a folder away')
  const world = await agentWorld(context)
  const home = join(world.home, 'user')
  const granted = () => world.systemd.calls().filter((call) => call.startsWith('setfacl'))
  mkdirSync(home, { mode: 0o755 })
  chownSync(home, 65_534, 65_534)
  await world.converge()
  assert.deepEqual(granted(), [])
  chmodSync(home, 0o700)
  await world.converge({ force: true })
  assert.deepEqual(granted(), [`setfacl -m u:root:--x -- ${home}`])
})

test('an unchanged agent costs one round trip and is not restarted [AGT-021]', async (context) => {
  const world = await agentWorld(context)
  await world.converge()
  const before = world.pool.executed.length
  const { pid, secret } = { pid: world.pid(), secret: world.read('etc/fleet/agent/secret') }
  assert.equal(await world.converge(), 'unchanged')
  assert.equal(world.pool.executed.length, before + 1)
  assert.deepEqual([world.pid(), world.read('etc/fleet/agent/secret')], [pid, secret])
})

test('force writes everything again, and a running agent that is right continues [AGT-021]', async (context) => {
  const world = await agentWorld(context)
  await world.converge()
  const pid = world.pid()
  assert.equal(await world.converge({ force: true }), 'applied')
  assert.equal(world.pid(), pid)
})

const changes = {
  'another address of the gateway': async (world: World) =>
    world.retarget({ ...TARGET, address: '10.44.0.9' }),
  'another root certificate': async (world: World) =>
    world.retarget({ ...TARGET, rootCertificate: 'other\n' }),
  'a changed unit': async ({ home }: World) =>
    writeFileSync(join(home, 'etc/systemd/system/fleet-agent.service'), '[Unit]\n'),
  'a deleted configuration': async ({ home }: World) => rmSync(join(home, 'etc/fleet/agent/config.toml')),
  'an open secret': async ({ home }: World) => chmodSync(join(home, 'etc/fleet/agent/secret'), 0o644),
  'an open folder': async ({ home }: World) => chmodSync(join(home, 'etc/fleet/agent'), 0o755),
} as const
type World = Awaited<ReturnType<typeof agentWorld>>

for (const [what, change] of Object.entries(changes)) {
  test(`${what} is put right, and the agent runs as it should [AGT-021]`, async (context) => {
    const world = await agentWorld(context)
    await world.converge()
    await change(world)
    assert.equal(await world.converge(), 'applied')
    assert.equal(await world.converge(), 'unchanged')
  })
}

test('another executable restarts the agent [AGT-021]', async (context) => {
  const world = await agentWorld(context)
  await world.converge()
  const pid = world.pid()
  const release = { program: '#!/bin/sh\n# next\nexit 0\n' }
  assert.equal(await world.converge({ release }), 'applied')
  assert.notEqual(world.pid(), pid)
  assert.equal(await world.converge({ release }), 'unchanged')
})

test('an executable that does not arrive whole has the code of the agent, and nothing else changes [AGT-019, AGT-022]', async (context) => {
  const world = await agentWorld(context)
  await world.converge()
  const pid = world.pid()
  const release = { program: '#!/bin/sh\n# next\nexit 0\n', sha256: '0'.repeat(64) }
  await assert.rejects(world.converge({ release }), { code: 'agent.checksum_mismatch', status: 502 })
  assert.equal(world.pid(), pid)
})

test('a missing or foreign secret leads to a new one, and no other converge does [AGT-014, AGT-016]', async (context) => {
  const world = await agentWorld(context)
  await world.converge()
  const file = join(world.home, 'etc/fleet/agent/secret')
  const first = world.read('etc/fleet/agent/secret')
  rmSync(file)
  await world.converge()
  const second = world.read('etc/fleet/agent/secret') ?? ''
  assert.notEqual(second, first)
  writeFileSync(file, 'f'.repeat(64), { mode: 0o600 })
  await world.converge()
  const third = world.read('etc/fleet/agent/secret') ?? ''
  assert.ok(third !== second && third !== 'f'.repeat(64))
  assert.equal(await world.storedHash(), sha256(third))
  await world.converge({ force: true })
  assert.equal(world.read('etc/fleet/agent/secret'), third)
})

test('when the restart fails the old hash stays, and the identical request makes a whole agent [AGT-015, AGT-022]', async (context) => {
  const world = await agentWorld(context)
  await world.converge()
  const hash = await world.storedHash()
  rmSync(join(world.home, 'etc/fleet/agent/secret'))
  world.systemd.break(AGENT_UNIT, { message: 'no secret to start with' })
  await assert.rejects(world.converge(), {
    code: 'node.agent_install_failed',
    details: {
      node: { id: world.node.id, name: world.node.name },
      outcome: 'restart',
      unit: AGENT_UNIT,
      state: 'failed (exit-code, status 1)',
      journal: ['no secret to start with'],
    },
  })
  assert.equal(await world.storedHash(), hash)
  world.systemd.clearFaults()
  assert.equal(await world.converge(), 'applied')
  assert.equal(await world.storedHash(), sha256(world.read('etc/fleet/agent/secret') ?? ''))
})

test('a converge whose answer was lost is finished by the next one [AGT-015]', async (context) => {
  const world = await agentWorld(context)
  world.pool.loseReplyOf((shown) => shown.includes('apply a service'))
  await assert.rejects(world.converge())
  assert.equal(await world.storedHash(), undefined)
  world.pool.clearFaults()
  assert.equal(await world.converge(), 'applied')
  assert.equal(await world.storedHash(), sha256(world.read('etc/fleet/agent/secret') ?? ''))
})

test('files that were written without their restart are noticed [AGT-021]', async (context) => {
  const world = await agentWorld(context)
  await world.converge()
  world.retarget({ ...TARGET, address: '10.44.0.9' })
  world.systemd.break(AGENT_UNIT)
  await assert.rejects(world.converge(), { code: 'node.agent_install_failed' })
  world.systemd.clearFaults()
  const before = restarts(world.systemd.calls())
  assert.equal(await world.converge(), 'applied')
  assert.equal(restarts(world.systemd.calls()), before + 1)
})

test('a gateway without a private network sets no agent up', async (context) => {
  const world = await agentWorld(context)
  world.retarget(undefined)
  await assert.rejects(world.converge(), { code: 'agent.not_configured' })
  assert.equal(world.pool.executed.length, 0)
})

test('the digest follows everything that an agent is restarted for, and not its secret [NODE-121]', async (context) => {
  const world = await agentWorld(context)
  const first = await world.digest()
  await world.converge()
  assert.equal(await world.digest(), first)
  assert.notEqual(await world.digest({ program: '#!/bin/sh\n# next\nexit 0\n' }), first)
  world.retarget({ ...TARGET, rootCertificate: 'other' })
  assert.notEqual(await world.digest(), first)
})

test('an agent knows the gateway of its last converge until the next one [ROLE-041]', async (context) => {
  const world = await agentWorld(context)
  const known = (): string | undefined =>
    /^gateway_address = "(.*)"$/m.exec(world.read('etc/fleet/agent/config.toml') ?? '')?.[1]
  await world.converge()
  const digest = await world.digest()
  world.retarget({ ...TARGET, address: '10.44.0.9' })
  assert.equal(known(), TARGET.address)
  assert.notEqual(await world.digest(), digest)
  await world.converge()
  assert.equal(known(), '10.44.0.9')
})

test('removal leaves nothing behind and may be repeated', async (context) => {
  const world = await agentWorld(context)
  await world.converge()
  await world.remove()
  assert.equal(world.pid(), undefined)
  for (const path of [
    'etc/fleet',
    'etc/systemd/system/fleet-agent.service',
    'opt/fleet',
    'usr/local/bin/fleet',
    'run/fleet-agent',
  ])
    assert.equal(existsSync(join(world.home, path)), false, path)
  assert.equal(await world.storedHash(), undefined)
  await world.remove()
})

test('removal leaves the executable to another unit that runs it', async (context) => {
  const world = await agentWorld(context)
  await world.converge()
  const unit = join(world.home, 'etc/systemd/system/fleet-dns.service')
  writeFileSync(unit, '[Service]\nExecStart=/opt/fleet/bin/fleet node-dns\n')
  await world.remove()
  assert.ok(world.read('opt/fleet/bin/fleet'))
})

test('another converge of the agent is waited for two minutes, then named [AGT-022, GW-040]', async (context) => {
  const world = await agentWorld(context)
  const holder = { operation: 'node:converge', request_id: 'other', since: '2026-01-01T00:00:00.000Z' }
  const waits: number[] = []
  const busy = world.converge({
    locks: {
      acquire: ({ name, waitMilliseconds }) => {
        waits.push(waitMilliseconds)
        return Promise.reject(new LockBusy(name, holder))
      },
    },
  })
  await assert.rejects(busy, { code: 'agent.converge_busy', status: 409, details: { holder } })
  assert.deepEqual(waits, [120_000])
})

test('a converge that loses its lock stops before its next command [AGT-022]', async (context) => {
  const world = await agentWorld(context)
  const lost = world.converge({
    locks: {
      acquire: async (request) => fakeLock(request, () => world.pool.executed.length === 0),
    },
  })
  await assert.rejects(lost, { code: 'agent.converge_lock_lost', status: 409 })
  assert.equal(world.pool.executed.length, 1)
  assert.equal(world.read('etc/fleet/agent/secret'), undefined)
})
