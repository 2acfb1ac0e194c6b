// What a request leaves that died between two steps, and what the next one makes of it. A lost lock records and undoes nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { type EnrolmentFleet, fakeCall, startEnrolmentFleet } from '@fleet/testing'

/** The first call of this member ends as in a process that died. */
function dieOnce<M extends string>(service: Readonly<Record<M, unknown>>, member: M): void {
  const { [member]: work } = service
  Object.assign(service, {
    [member]: async () => {
      Object.assign(service, { [member]: work })
      throw fail('node.lock_lost')
    },
  })
}

async function enrolled(roles: readonly ('app-dev' | 'database')[]): Promise<EnrolmentFleet> {
  const fleet = await startEnrolmentFleet()
  await fleet.addHub()
  await fleet.enroll({ roles: [...roles], tld: 'one', lan_ip: '10.1.0.1' })
  return fleet
}

test('the identical request finishes another top-level domain that died before its Routes, also with Instances [NODE-061, RTX-039]', async () => {
  await using fleet = await enrolled(['app-dev'])
  fleet.services.owns.instances = 1
  dieOnce(fleet.services.routes, 'followTld')
  await assert.rejects(fleet.enroll({ tld: 'two' }), { code: 'node.lock_lost' })
  const { isBehind } = fleet.services.routes
  Object.assign(fleet.services.routes, {
    isBehind: async ({ tld }: { readonly tld: string }) => tld === 'two',
  })
  await assert.rejects(fleet.enroll({ tld: 'two', lan_ip: '10.1.0.2' }), { code: 'node.has_instances' })
  fleet.services.calls.splice(0)
  assert.equal((await fleet.enroll({ tld: 'two' })).tld, 'two')
  Object.assign(fleet.services.routes, { isBehind })
  await assert.rejects(fleet.enroll({ tld: 'two' }), { code: 'node.has_instances' }, 'nothing is left')
  assert.ok(fleet.services.calls.some((call) => call.startsWith('routes.followTld')))
  assert.equal((await fleet.row())?.tld, 'two')
})

test('the identical request finishes another LAN address that died before the sites of the others', async () => {
  await using fleet = await enrolled([])
  dieOnce(fleet.services.routes, 'followLan')
  await assert.rejects(fleet.enroll({ lan_ip: '10.1.0.2' }), { code: 'node.lock_lost' })
  fleet.services.calls.splice(0)
  await fleet.enroll({ lan_ip: '10.1.0.2' })
  assert.ok(fleet.services.calls.some((call) => call.startsWith('routes.followLan')))
})

test('a Node that was converged after a removal had died is later removed whole [NODE-085, NODE-086]', async () => {
  await using fleet = await enrolled(['database'])
  const { id } = (await fleet.row()) ?? assert.fail()
  const call = fakeCall({ operation: 'node:role:remove' })
  await fleet.nodes.handlers['node:role:remove']({ call, input: { node: id, role: 'database' } })
  dieOnce(fleet.services.membership, 'withdrawLanAccess')
  await assert.rejects(fleet.remove(id), { code: 'node.lock_lost' })
  const input = { node: id, force: true }
  await fleet.nodes.handlers['node:converge']({ call: fakeCall({ operation: 'node:converge' }), input })
  assert.equal((await fleet.row())?.removal, null)
  fleet.services.calls.splice(0)
  assert.equal((await fleet.remove(id)).wireguard_peer_removed, true)
  for (const step of ['agent.remove', 'firewall.openPublicSsh', 'tunnel.leave'])
    assert.ok(fleet.services.calls.includes(`${step} web-1`), step)
})
