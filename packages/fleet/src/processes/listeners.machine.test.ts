import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { asCaller, fakeCall, type ServiceFleet, startServiceFleet } from '@fleet/testing'

async function process(fleet: ServiceFleet, more: object = {}) {
  const input = {
    target_type: 'node' as const,
    target_id: fleet.node.id,
    name: 'mail',
    runtime: 'systemd' as const,
    command: ['/usr/bin/true'],
    ...more,
  }
  const call = fakeCall({ caller: asCaller(fleet.node) })
  return (await fleet.domains.processes.handlers['process:create']({ call, input })).data
}

async function listenersOf({ domains, session }: ServiceFleet, id: number): Promise<readonly string[]> {
  const { processes } = domains.processes
  const found = (await processes.find(id)) ?? assert.fail('it is gone')
  return (await processes.listenersOf(session, found)).map(({ host, port }) => `${host}:${port}`)
}

/** A program that listens on an address, also on another one than loopback, and as a client nowhere. */
const programOn = (address: string): string => `
const { createServer } = require('node:net')
const here = createServer().listen(0, '${address}', () => {
  const away = createServer().listen(0, '127.0.0.9', () => {
    require('node:net').connect(here.address().port, '${address}', () => console.log(here.address().port))
  })
})`

/** And where it is reached. */
const ADDRESSES = [
  ['127.0.0.1', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '127.0.0.1'],
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['::1', '[::1]'],
] as const

test('a unit is reached at the ports of the loopback addresses on which its processes listen', async () => {
  await using fleet = await startServiceFleet()
  const { id } = await process(fleet)
  // The stand-in of systemd has no control groups.
  fleet.host.install(
    'systemctl',
    `case "$*" in *ControlGroup*) echo ControlGroup=/system.slice/mail.service ;; *) exit 1 ;; esac`,
  )
  assert.deepEqual(await listenersOf(fleet, id), [])
  for (const [address, reached] of ADDRESSES) {
    const child = spawn(globalThis.process.execPath, ['-e', programOn(address)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const [printed] = await once(child.stdout, 'data')
      fleet.host.write('sys/fs/cgroup/system.slice/mail.service/inner/cgroup.procs', `${child.pid}\n`)
      assert.deepEqual(await listenersOf(fleet, id), [`${reached}:${String(printed).trim()}`], address)
    } finally {
      child.kill('SIGKILL')
    }
  }
})

test('a port of both loopback addresses is one listener', async () => {
  await using fleet = await startServiceFleet()
  const { id } = await process(fleet)
  fleet.host.install(
    'systemctl',
    `case "$*" in *ControlGroup*) echo ControlGroup=/system.slice/mail.service ;; *) exit 1 ;; esac`,
  )
  const program = `
const { createServer } = require('node:net')
const here = createServer().listen(0, '127.0.0.1', () => {
  const { port } = here.address()
  createServer().listen(port, '::1', () => console.log(port))
})`
  const child = spawn(globalThis.process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [printed] = await once(child.stdout, 'data')
    fleet.host.write('sys/fs/cgroup/system.slice/mail.service/cgroup.procs', `${child.pid}\n`)
    assert.deepEqual(await listenersOf(fleet, id), [`127.0.0.1:${String(printed).trim()}`])
  } finally {
    child.kill('SIGKILL')
  }
})

test('a container is reached at the TCP ports that it publishes for the loopback address', async () => {
  await using fleet = await startServiceFleet()
  fleet.host.docker.addImage('mail:1')
  const ports = [
    '8025:80',
    '127.0.0.1:1025:25/tcp',
    '0.0.0.0:8025:81',
    '9000:90/udp',
    '10.44.0.7:7000:70',
    '127.0.0.9:7001:71',
  ]
  const { id } = await process(fleet, { runtime: 'docker', image: 'mail:1', command: ['mail'], ports })
  assert.deepEqual(await listenersOf(fleet, id), ['127.0.0.1:8025', '127.0.0.1:1025'])
})

test('a Process to which a Route leads is not removed [RTE-165]', async () => {
  await using fleet = await startServiceFleet()
  const { id } = await process(fleet)
  await fleet.store.db
    .insertInto('routes')
    .values({
      kind: 'custom_proxy',
      node_id: fleet.node.id,
      process_id: id,
      upstream: 'http://127.0.0.1:8025',
      domain: 'mail.internal',
      provenance: 'explicit',
      publication: 'private',
      status: 'active',
      created_at: '2026-01-01T00:00:00.000Z',
    })
    .execute()
  const destroy = () =>
    fleet.domains.processes.handlers['process:destroy']({
      call: fakeCall({ caller: asCaller(fleet.node) }),
      input: { process: id, offline: false },
    })
  await assert.rejects(destroy(), ({ code, status, details }) => {
    assert.deepEqual([code, status, details.domain], ['process.has_routes', 409, 'mail.internal'])
    return true
  })
  await fleet.store.db.deleteFrom('routes').execute()
  await destroy()
})
