import assert from 'node:assert/strict'
import { SshFailure } from '@fleet/ssh'
import {
  type EnrolmentFleet,
  fakeCall,
  FINGERPRINT,
  forEachDialect,
  startEnrolmentFleet,
} from '@fleet/testing'

const NEW_KEY = `SHA256:${'B'.repeat(43)}`

/** The machine of `web-1`, which owns Instances, has another SSH host key. */
async function startWithNewKey(dialect: Parameters<typeof startEnrolmentFleet>[0]): Promise<EnrolmentFleet> {
  const fleet = await startEnrolmentFleet(dialect)
  await fleet.addHub()
  await fleet.enroll({ roles: ['database'] })
  fleet.services.owns.instances = 2
  fleet.pool.hostKey = NEW_KEY
  fleet.services.calls.splice(0)
  fleet.pool.asked.splice(0)
  return fleet
}

const pin = (fleet: EnrolmentFleet, fingerprint = NEW_KEY, call = fakeCall(), name = 'web-1') =>
  fleet.nodes.pinHostKey(call, { name, fingerprint })

forEachDialect(
  'the approved new host key of a Node with Instances replaces the pinned one, and nothing else changes',
  async (dialect) => {
    await using fleet = await startWithNewKey(dialect)
    const before = await fleet.row()
    const call = fakeCall()
    const node = await pin(fleet, NEW_KEY, call)
    assert.equal(node.ssh_host_fingerprint, NEW_KEY)
    const address = `${before?.wireguard_ip}:22`
    assert.deepEqual(fleet.pool.asked, [`scan ${address}`, `fleet@${address} true`])
    assert.deepEqual(await fleet.row(), { ...before, ssh_host_fingerprint: NEW_KEY })
    assert.deepEqual(
      [fleet.services.calls, call.events.map(({ type }) => type), call.notes.target],
      [[], ['node.updated'], before?.id],
    )
    assert.equal(call.notes.properties['host_key_fingerprint'], NEW_KEY)
    // The same again finds it pinned.
    const again = fakeCall()
    assert.equal((await pin(fleet, NEW_KEY, again)).ssh_host_fingerprint, NEW_KEY)
    assert.deepEqual([again.events, fleet.pool.asked.length], [[], 3])
  },
)

forEachDialect(
  'only the key that the machine presents is pinned, and no command is sent before',
  async (dialect) => {
    await using fleet = await startWithNewKey(dialect)
    const before = await fleet.row()
    for (const fingerprint of [FINGERPRINT, 'SHA256:short', `SHA256:${'C'.repeat(43)}`])
      await assert.rejects(pin(fleet, fingerprint), { code: 'node.ssh_host_key_mismatch', status: 409 })
    assert.ok(fleet.pool.asked.every((line) => line.startsWith('scan')))
    assert.deepEqual(await fleet.row(), before)
  },
)

forEachDialect('a machine that does not let the gateway in keeps the record as it is', async (dialect) => {
  await using fleet = await startWithNewKey(dialect)
  const before = await fleet.row()
  for (const [reply, code] of [
    [new SshFailure('authentication', false), 'node.authentication_failed'],
    [{ exitCode: 1 }, 'node.command_failed'],
  ] as const) {
    fleet.pool.onRun = () => reply
    await assert.rejects(pin(fleet), { code })
  }
  fleet.pool.hostKey = new SshFailure('unreachable', false)
  await assert.rejects(pin(fleet), { code: 'node.ssh_host_key_scan_failed' })
  assert.deepEqual(await fleet.row(), before)
})

forEachDialect('a Node whose tunnel is silent shows its key at its public address', async (dialect) => {
  await using fleet = await startWithNewKey(dialect)
  const scan = fleet.pool.scan.bind(fleet.pool)
  fleet.pool.scan = async (host, ...rest) => {
    if (host !== '192.0.2.7') throw new SshFailure('unreachable', false)
    return scan(host, ...rest)
  }
  await pin(fleet)
  assert.deepEqual(fleet.pool.asked, ['scan 192.0.2.7:22', 'fleet@192.0.2.7:22 true'])
  assert.equal((await fleet.row())?.ssh_host_fingerprint, NEW_KEY)
})

forEachDialect(
  'the machine of another Node is none of this one, and only an active Node is asked',
  async (dialect) => {
    await using fleet = await startWithNewKey(dialect)
    const { db } = fleet.store
    const other = await fleet.enroll({ name: 'web-2', public_ssh_port: 2222, host_key_fingerprint: NEW_KEY })
    await db.updateTable('nodes').set({ public_ssh_port: 22 }).where('id', '=', other.id).execute()
    await assert.rejects(pin(fleet), {
      code: 'node.converge_conflict',
      details: { holder: { id: other.id, name: 'web-2' } },
    })
    await db.updateTable('nodes').set({ status: 'failed' }).where('name', '=', 'web-1').execute()
    fleet.pool.asked.splice(0)
    await assert.rejects(pin(fleet), { code: 'node.not_active', status: 409 })
    await assert.rejects(pin(fleet, NEW_KEY, fakeCall(), 'web-9'), { code: 'node.not_found', status: 404 })
    assert.deepEqual([fleet.pool.asked, (await fleet.row())?.ssh_host_fingerprint], [[], FINGERPRINT])
  },
)
