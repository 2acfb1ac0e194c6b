import assert from 'node:assert/strict'
import { fail } from '@fleet/contract'
import { SshFailure } from '@fleet/ssh'
import {
  addNode,
  addRole,
  type EnrolmentFleet,
  fakeCall,
  FINGERPRINT,
  forEachDialect,
  startEnrolmentFleet,
} from '@fleet/testing'
import type { RetargetRequest } from '#/node-lifecycle/retarget.ts'

const SILENT = new SshFailure('unreachable', false)

async function startWithNode(dialect: Parameters<typeof startEnrolmentFleet>[0]): Promise<EnrolmentFleet> {
  const fleet = await startEnrolmentFleet(dialect)
  await fleet.addHub()
  await fleet.enroll()
  fleet.services.calls.splice(0)
  fleet.pool.asked.splice(0)
  return fleet
}

const retarget = (fleet: EnrolmentFleet, given: Partial<RetargetRequest> = {}, call = fakeCall()) =>
  fleet.nodes.retarget(call, { name: 'web-1', host: '192.0.2.99', fingerprint: FINGERPRINT, ...given })

forEachDialect(
  'a Node without roles is retargeted over public SSH, and its tunnel is written anew [NODE-099, EV-017]',
  async (dialect) => {
    await using fleet = await startWithNode(dialect)
    const before = await fleet.row()
    const call = fakeCall()
    await retarget(fleet, { port: 2222 }, call)
    assert.deepEqual(fleet.pool.asked, ['scan 192.0.2.99:2222', `probe fleet@${before?.wireguard_ip}:22`])
    assert.deepEqual(fleet.services.calls, ['tunnel.join web-1', 'tunnel.publish'])
    assert.deepEqual(await fleet.row(), {
      ...before,
      public_ssh_host: '192.0.2.99',
      public_ssh_port: 2222,
    })
    assert.deepEqual(
      call.events.map(({ type }) => type),
      ['node.updated'],
    )
  },
)

forEachDialect(
  'a Node with any role row is retargeted over its tunnel, which stays as it is [NODE-100]',
  async (dialect) => {
    await using fleet = await startWithNode(dialect)
    const before = await fleet.row()
    await addRole(fleet.store, { node_id: before?.id ?? 0, role: 'database', status: 'failed' })
    await retarget(fleet, { fingerprint: undefined })
    assert.deepEqual(fleet.pool.asked, [`probe fleet@${before?.wireguard_ip}:22`])
    assert.deepEqual(fleet.services.calls, ['tunnel.publish'])
    assert.equal((await fleet.row())?.public_ssh_host, '192.0.2.99')
    fleet.pool.probeFailure = SILENT
    const row = await fleet.row()
    await assert.rejects(retarget(fleet, { host: '192.0.2.100' }), {
      code: 'node.retarget_requires_vpn',
      details: { step: 'wireguard-ssh' },
    })
    assert.deepEqual(await fleet.row(), row)
  },
)

forEachDialect('a hub that does not answer undoes no retarget, and is logged', async (dialect) => {
  await using fleet = await startWithNode(dialect)
  fleet.services.breakAt('tunnel.publish', fail('vpn.server_config_install_failed'))
  const call = fakeCall()
  await retarget(fleet, {}, call)
  const row = await fleet.row()
  assert.deepEqual([row?.status, row?.public_ssh_host], ['active', '192.0.2.99'])
  assert.equal(call.logged.length, 1)
})

forEachDialect(
  'what is refused before any contact leaves the record as it is [NODE-101]',
  async (dialect) => {
    await using fleet = await startWithNode(dialect)
    const before = await fleet.row()
    const cases = [
      [{ host: 'two words' }, 'node.public_ssh_host_invalid', 'validation'],
      [{ host: '256.1.1.1' }, 'node.public_ssh_host_invalid', 'validation'],
      [{ port: 0 }, 'node.public_ssh_port_invalid', 'validation'],
      [{ fingerprint: undefined }, 'node.ssh_host_fingerprint_required', 'validation'],
      [{ name: 'nobody' }, 'node.not_found', 'lookup'],
      [{ name: (await addNode(fleet.store, { status: 'failed' })).name }, 'node.not_active', 'lookup'],
    ] as const
    for (const [given, code, step] of cases)
      await assert.rejects(retarget(fleet, given), { code, details: { step } })
    assert.deepEqual([await fleet.row(), fleet.pool.asked], [before, []])
  },
)

forEachDialect(
  'each failure on the way leaves the Node failed at its step with its earlier address [NODE-102]',
  async (dialect) => {
    const cases: ReadonlyArray<readonly [string, string, (fleet: EnrolmentFleet) => void | Promise<void>]> = [
      ['ssh-host-key', 'node.ssh_host_key_scan_failed', ({ pool }) => void (pool.hostKey = SILENT)],
      [
        'ssh-host-key',
        'node.ssh_host_key_mismatch',
        ({ pool }) => void (pool.hostKey = `SHA256:${'B'.repeat(43)}`),
      ],
      [
        'wireguard-address',
        'vpn.peer_address_missing',
        async ({ store }) => void (await store.db.updateTable('nodes').set({ wireguard_ip: null }).execute()),
      ],
      [
        'wireguard-peer',
        'vpn.peer_start_failed',
        ({ services }) => services.breakAt('tunnel.join', fail('vpn.peer_start_failed')),
      ],
      ['wireguard-ssh', 'vpn.peer_ssh_failed', ({ pool }) => void (pool.probeFailure = SILENT)],
    ]
    for (const [step, code, breakIt] of cases) {
      await using fleet = await startWithNode(dialect)
      await breakIt(fleet)
      await assert.rejects(retarget(fleet), { code })
      const row = await fleet.row()
      assert.deepEqual(
        [row?.status, row?.failed_step, row?.error_code, row?.public_ssh_host],
        ['failed', step, code, '192.0.2.7'],
      )
    }
  },
)

forEachDialect('a Node that a retarget left failed is converged to active again', async (dialect) => {
  await using fleet = await startWithNode(dialect)
  fleet.pool.probeFailure = SILENT
  await assert.rejects(retarget(fleet))
  fleet.pool.probeFailure = undefined
  const call = fakeCall()
  assert.equal((await fleet.enroll({}, call)).status, 'active')
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['node.updated'],
  )
})
