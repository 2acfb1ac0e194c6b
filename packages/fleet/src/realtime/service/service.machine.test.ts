import assert from 'node:assert/strict'
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import { addNode, addRole, eventually } from '@fleet/testing'
import { isSampled } from '@fleet/testing/sample'
import { X509Certificate } from 'node:crypto'
import { SERVER_UNIT } from '#/realtime/service/server.ts'
import { CERTIFICATE, startWorld, type World } from '#/realtime/service/world.test.ts'

const CONFIGURATION = 'etc/fleet/websocket/config.json'
const UNIT = `etc/systemd/system/${SERVER_UNIT}`

async function served(context: TestContext): Promise<World> {
  const world = await startWorld(context)
  await world.converge()
  return world
}

test('a blank Node gets account, configuration, certificate and a running server that the gateway has asked [ROLE-010, ROLE-033, ACC-010]', async (context) => {
  const world = await served(context)
  const { address, port, app } = JSON.parse(world.read(CONFIGURATION) ?? '{}') // as: read back as any JSON.
  assert.deepEqual([address, port, app.id], ['10.44.0.4', 8790, 'fleet'])
  assert.match(app.secret, /^[0-9a-f]{64}$/)
  assert.deepEqual([world.modeOf(CONFIGURATION), world.modeOf('etc/fleet/websocket')], ['640', '750'])
  const certificate = new X509Certificate(
    (world.read(CERTIFICATE) ?? '').replace(/^[^]*END PRIVATE KEY-----\n/, ''),
  )
  assert.equal(certificate.subjectAltName, 'DNS:reverb.fleet, IP Address:10.44.0.4')
  const { unit, enabled, runs } = world.state()
  assert.match(unit ?? '', new RegExp(`node-websocket --configuration=${runs}\n`))
  assert.equal(enabled, '')
  const [asked] = world.probed
  assert.deepEqual([asked?.address, asked?.host, asked?.app.key], ['10.44.0.4', 'reverb.fleet', app.key])
})

test('no credential stands in any argument of a command [ROLE-033]', async (context) => {
  const world = await served(context)
  const { secret, key } = JSON.parse(world.read(CONFIGURATION) ?? '{}').app // as: read back as any JSON.
  for (const shown of world.pool.executed) assert.ok(!shown.includes(secret) && !shown.includes(key))
})

test('what stands costs three looks and changes nothing', async (context) => {
  const world = await served(context)
  const [before, commands, ran] = [world.state(), world.pool.executed.length, world.ran().length]
  await world.converge()
  assert.deepEqual(world.state(), before)
  const looks = world.pool.executed.slice(commands).map((shown) => /'([^']*)'/.exec(shown)?.[1])
  assert.deepEqual(looks, ['inspect a service', 'inspect certificates', 'apply a service'])
  const changes = world
    .ran()
    .slice(ran)
    .filter((line) => !/^(?:show|is-|-q is-)/.test(line))
  assert.deepEqual(changes, [])
})

test('whatever is harmed is put right by the identical steps', async (context) => {
  const world = await served(context)
  const before = world.state()
  const harms = [
    () => rmSync(world.at(CONFIGURATION)),
    () => chmodSync(world.at(CONFIGURATION), 0o644),
    () => writeFileSync(world.at(UNIT), '[Unit]\n'),
    () => rmSync(world.at(CERTIFICATE)),
    () => world.systemd.disable(SERVER_UNIT),
    () => rmSync(world.at('run/fleet-websocket/ready')),
    () => rmSync(world.at('opt/fleet/bin/fleet')),
  ]
  for (const harm of harms) {
    harm()
    await world.converge()
    assert.deepEqual(world.state(), before)
    assert.equal(world.modeOf(CONFIGURATION), '640')
  }
})

test('what a convergence had to change, start or restart is reported as applied, and after it nothing is left to do', async (context) => {
  const world = await served(context)
  const { artifact } = world.service
  for (const harm of [
    () => world.systemd.kill(SERVER_UNIT),
    () => chmodSync(world.at(CONFIGURATION), 0o644),
    () => rmSync(world.at('opt/fleet/bin/fleet')),
  ]) {
    harm()
    assert.equal(await artifact.converge(world.session, { force: false }), 'applied', harm.toString())
    assert.equal(await artifact.converge(world.session, { force: false }), 'unchanged', harm.toString())
  }
  assert.equal(await artifact.converge(world.session, { force: true }), 'applied')
})

test('another release restarts the server, and its clients keep their credentials [NODE-120, NODE-121, ROLE-036]', async (context) => {
  const world = await served(context)
  const { node } = world.session
  const [before, digest] = [world.state(), await world.service.artifact.digest(node)]
  assert.equal(await world.service.artifact.converge(world.session, { force: false }), 'unchanged')
  world.giveExecutable({ program: '#!/bin/sh\n# the next one\nexit 0\n' })
  assert.notEqual(await world.service.artifact.digest(node), digest)
  assert.equal(await world.service.artifact.converge(world.session, { force: false }), 'applied')
  const after = world.state()
  assert.equal(after['configuration'], before['configuration'])
  assert.notEqual(after['runs'], before['runs'])
  assert.match(after['unit'] ?? '', new RegExp(`--configuration=${after['runs']}\n`))
  assert.equal(await world.service.artifact.digest({ ...node, activeRoles: ['app-dev'] }), undefined)
})

test('another port of the setting holds once the Node has converged, and not before', async (context) => {
  const world = await served(context)
  const { node } = world.session
  const [running, artifact] = [await world.service.artifact.digest(node), world.serviceAt(9443).artifact]
  assert.notEqual(await artifact.digest(node), running)
  const portNow = async (): Promise<unknown> => {
    const [holder] = await world.fleet.nodes.holders.of('websocket')
    return holder?.settings['port']
  }
  assert.equal(await portNow(), 8790)
  await world.converge(9443)
  assert.equal(await portNow(), 9443)
  assert.equal(JSON.parse(world.read(CONFIGURATION) ?? '{}').port, 9443)
  assert.equal(world.probed.at(-1)?.url, 'wss://reverb.fleet:9443')
  assert.equal(await artifact.converge(world.session, { force: false }), 'unchanged')
})

test('a server that does not start, does not end or does not answer is reported by its code [ROLE-026, ROLE-027]', async (context) => {
  const world = await startWorld(context)
  world.systemd.break(SERVER_UNIT, { message: 'port taken' })
  await assert.rejects(world.converge(), {
    code: 'realtime.start_failed',
    details: {
      node: { id: world.nodeId, name: world.session.node.name },
      unit: SERVER_UNIT,
      state: 'failed (exit-code, status 1)',
      journal: ['port taken'],
    },
  })
  world.systemd.clearFaults()
  world.answers = false
  const ticking = setInterval(() => world.clock.advance(500), 5)
  await assert.rejects(world.converge(), {
    code: 'realtime.not_answering',
    message: /does not answer the gateway/,
  })
  world.clockAheadSeconds = 720
  await assert.rejects(world.converge(), {
    code: 'realtime.not_answering',
    message: /the clock of \S+ is 720 s ahead of that of the gateway/,
  })
  clearInterval(ticking)
  world.answers = true
  await world.converge()
  world.systemd.stick(SERVER_UNIT)
  await assert.rejects(world.remove(), { code: 'realtime.stop_failed' })
  world.systemd.clearFaults()
  await world.remove()
})

test('nothing is left of it, however often it is requested, and the credentials outlive it until the record goes [ROLE-017, ROLE-030]', async (context) => {
  const world = await served(context)
  for (const _ of [1, 2]) await world.remove()
  const { executable, ...rest } = world.state()
  assert.ok(executable, 'the executable belongs to others too')
  assert.deepEqual(new Set(Object.values(rest)), new Set([undefined]))
  assert.equal(existsSync(world.at('etc')), true)
  assert.deepEqual(
    ['etc/fleet', 'run/fleet-websocket'].map((path) => existsSync(world.at(path))),
    [false, false],
  )
})

for (const kind of ['before', 'after'] as const) {
  for (const work of ['converge', 'remove'] as const) {
    test(`${work}: when the line breaks ${kind} any command, the identical steps finish [ROLE-021, ROLE-026, ROLE-027]`, async (context) => {
      const whole = await startWorld(context)
      await whole.converge()
      const first = whole.pool.executed.length
      if (work === 'remove') await whole.remove()
      const commands = work === 'converge' ? first : whole.pool.executed.length - first
      const comparable = (world: World) => ({
        ...world.state(),
        configuration: world.read(CONFIGURATION)?.length,
        unit: world.read(UNIT)?.replaceAll(/fleet websocket-\w+|=[0-9a-f]{64}/g, ''),
        runs: typeof world.state()['runs'],
      })
      for (let at = 1; at <= commands; at += 1) {
        // Each command fails in every run, before or after it; both in a whole run.
        if (!isSampled(at, 2, kind === 'before' ? 0 : 1)) continue
        const world = await startWorld(context)
        if (work === 'remove') await world.converge()
        const skipped = work === 'remove' ? first : 0
        if (kind === 'before') world.pool.failBefore(skipped + at)
        else world.pool.loseReplyOf(skipped + at)
        await assert.rejects(world[work]())
        world.pool.clearFaults()
        await world[work]()
        assert.deepEqual(comparable(world), comparable(whole), `at ${at}`)
      }
    })
  }
}

test('a server that another Node replaces continues until resolvers have forgotten it [LIM-004, RTX-106]', async (context) => {
  const world = await served(context)
  const { store } = world.fleet
  await store.db.updateTable('node_roles').set({ status: 'removing' }).execute()
  const other = await addNode(store, { wireguard_ip: '10.44.0.5' })
  await addRole(store, { node_id: other.id, role: 'websocket', status: 'active' })
  await world.fleet.nodes.holders.ensureSettings(other.id, 'websocket', {
    key: 'key',
    secret: 'secret',
    host: 'reverb.fleet',
    port: 8790,
  })
  const before = world.pool.commands.length
  const removing = world.remove()
  await eventually(() => world.clock.waiting > 0)
  world.clock.advance(29_999)
  assert.equal(world.pool.commands.length, before)
  assert.ok(world.state()['runs'])
  world.clock.advance(1)
  await removing
  assert.equal(world.state()['runs'], undefined)
})
