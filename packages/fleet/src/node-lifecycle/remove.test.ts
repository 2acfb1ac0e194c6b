import assert from 'node:assert/strict'
import { fail } from '@fleet/contract'
import { SshFailure } from '@fleet/ssh'
import {
  addActivity,
  addGrant,
  addNode,
  addProject,
  addRole,
  asCaller,
  type EnrolmentFleet,
  excludeNode,
  fakeCall,
  forEachDialect,
  startEnrolmentFleet,
} from '@fleet/testing'

const SILENT = new SshFailure('unreachable', false)

/** A fleet with a hub and the enrolled Node `web-1`, asked nothing yet. */
async function startWithNode(dialect: Parameters<typeof startEnrolmentFleet>[0]): Promise<EnrolmentFleet> {
  const fleet = await startEnrolmentFleet(dialect)
  await fleet.addHub()
  await fleet.enroll()
  fleet.services.world.grafana.add('web-1')
  fleet.services.calls.splice(0)
  fleet.pool.asked.splice(0)
  return fleet
}

const idOf = async (fleet: EnrolmentFleet): Promise<number> => (await fleet.row())?.id ?? assert.fail()

forEachDialect(
  'node:remove undoes the Node in the stated order and reports what stays behind [NODE-028, NODE-085, NODE-086, EV-022]',
  async (dialect) => {
    await using fleet = await startWithNode(dialect)
    const id = await idOf(fleet)
    const call = fakeCall()
    const data = await fleet.remove(id, {}, call)
    assert.deepEqual(data, {
      id,
      name: 'web-1',
      removed: true,
      wireguard_peer_removed: true,
      dns_records_removed: 2,
      degradation: null,
      roles_shed: [],
      retained_on_node: ['user', 'package-managers', 'host-wireguard', 'firewall'],
      follow_up:
        'To clean the machine, run `systemctl disable --now wg-quick@fleet` on it, and `loginctl terminate-user fleet; deluser fleet; rm /etc/sudoers.d/fleet-fleet` to remove the managed user with its right to become root, if the account was created for Fleet. The key of the gateway in `~/.ssh/authorized_keys` of the user of the first login (root, unless `--user` named another), with which the machine was enrolled, still lets it in: remove its line. Its firewall stays on, and closes all ports that no rule opens: `ufw status` shows the rules, `ufw disable` turns it off. The machine can also be enrolled again as it is.',
    })
    assert.deepEqual(fleet.services.calls, [
      'tunnel.requireConfigured',
      'exporters.revokeAccess web-1',
      'exporters.withdraw web-1',
      'agent.remove web-1',
      'firewall.openPublicSsh web-1',
      'firewall.freeCallers web-1',
      'tunnel.releaseResolver web-1',
      'tunnel.leave web-1',
      'membership.withdrawLanAccess web-1',
      'dns.publishWithout web-1',
    ])
    assert.deepEqual(call.events, [{ type: 'node.deleted', data: { id, name: 'web-1' } }])
    assert.equal(await fleet.row(), undefined)
    assert.deepEqual(fleet.pool.asked, [`forget ${id}`])
    assert.deepEqual(
      call.steps.filter((line) => line.endsWith(' done')),
      STEPS.map((step) => `${step} done`),
    )
  },
)

forEachDialect(
  'a fleet without a private network removes no Node, and begins nothing [GW-027]',
  async (dialect) => {
    await using fleet = await startWithNode(dialect)
    const before = await fleet.row()
    Object.assign(fleet.services.tunnel, {
      requireConfigured: () => Promise.reject(fail('node.capability_missing')),
    })
    await assert.rejects(fleet.remove(await idOf(fleet)), { code: 'node.capability_missing', status: 409 })
    assert.deepEqual([await fleet.row(), fleet.services.calls], [before, []])
  },
)

const RESOLVER = /asks the fleet's DNS for names/
const STEPS = [
  'grafana-access-revocation',
  'metrics-exporters',
  'agent',
  'firewall-recovery',
  'resolver',
  'wireguard-projection',
  'router-lan-ingress',
  'dns-projection',
  'persistence',
]

forEachDialect(
  'grants and exclusions go with the Node, and Activities name it no more [EV-077, GRANT-013, NODE-119]',
  async (dialect) => {
    await using fleet = await startWithNode(dialect)
    const id = await idOf(fleet)
    const other = await addNode(fleet.store)
    await addGrant(fleet.store, { id }, other)
    await addGrant(fleet.store, other, { id })
    await excludeNode(fleet.store, await addProject(fleet.store), { id })
    await addActivity(fleet.store, { caller_node_id: id, target_node_id: other.id })
    await addActivity(fleet.store, { caller_node_id: other.id, target_node_id: id })
    const call = fakeCall()
    await fleet.remove(id, {}, call)
    const { db } = fleet.store
    assert.deepEqual(await db.selectFrom('node_grants').selectAll().execute(), [])
    assert.deepEqual(await db.selectFrom('node_exclusions').selectAll().execute(), [])
    const activities = db.selectFrom('activities').select(['caller_node_id', 'target_node_id']).orderBy('id')
    assert.deepEqual(await activities.execute(), [
      { caller_node_id: null, target_node_id: other.id },
      { caller_node_id: other.id, target_node_id: null },
    ])
    assert.equal(call.notes.target, null)
  },
)

forEachDialect(
  'what a Node owns keeps it, each with its code, and nothing is asked or changed [NODE-090, NODE-091]',
  async (dialect) => {
    await using fleet = await startWithNode(dialect)
    const id = await idOf(fleet)
    const cases = [
      ['instances', 'node.has_instances'],
      ['openTransfers', 'instance.transfer_incomplete'],
      ['routes', 'node.has_routes'],
      ['schedules', 'schedule.target_in_use'],
      ['processes', 'node.has_processes'],
      ['firewallRules', 'node.has_firewall_rules'],
      ['databaseServers', 'node.has_database_servers'],
      ['dependentRoutes', 'route.reconciliation_required'],
    ] as const
    for (const [what, code] of cases) {
      fleet.services.owns[what] = 1
      await assert.rejects(fleet.remove(id), { code, status: 409 })
      fleet.services.owns[what] = 0
    }
    await addRole(fleet.store, { node_id: id, role: 'database', status: 'failed' })
    await assert.rejects(fleet.remove(id), { code: 'node.has_roles', status: 409 })
    assert.deepEqual([fleet.services.calls, fleet.pool.asked], [[], []])
    assert.equal((await fleet.row())?.removal, null)
  },
)

forEachDialect(
  'a Node with open transfers names each, with the command that finishes it',
  async (dialect) => {
    await using fleet = await startWithNode(dialect)
    const id = await idOf(fleet)
    fleet.services.owns.openTransfers = 2
    await assert.rejects(fleet.remove(id), ({ code, message, details }) => {
      assert.equal(code, 'instance.transfer_incomplete')
      assert.match(message, new RegExp(`not finished\\. .*: \`fleet instance:transfer 1 ${id}\`\\.$`))
      assert.deepEqual(details, {
        node: { id, name: 'web-1' },
        count: 2,
        transfers: [1, 2].map((instance_id) => ({ instance_id, destination_node_id: id, name: null })),
      })
      return true
    })
  },
)

forEachDialect(
  'Nodes that the fleet needs, and the caller, are protected also offline [NODE-092]',
  async (dialect) => {
    await using fleet = await startWithNode(dialect)
    const id = await idOf(fleet)
    const gateway = await addNode(fleet.store, { roles: ['gateway'] })
    const vpn = await addNode(fleet.store, { roles: ['vpn'] })
    fleet.pool.probeFailure = SILENT
    for (const flags of [{}, { offline: true, force: true }]) {
      await assert.rejects(fleet.remove(gateway.id, flags), {
        code: 'node.gateway_removal_forbidden',
        status: 409,
      })
      await assert.rejects(fleet.remove(vpn.id, flags), { code: 'node.vpn_removal_forbidden', status: 409 })
      const row = (await fleet.row()) ?? assert.fail()
      const call = fakeCall({ caller: asCaller(row) })
      await assert.rejects(fleet.remove(id, flags, call), {
        code: 'node.self_removal_forbidden',
        status: 409,
      })
    }
    await assert.rejects(fleet.remove(999), { code: 'node.not_found' })
  },
)

forEachDialect(
  'a machine whose resolver is not released leaves all the same, and what is left to do is said [NODE-065]',
  async (dialect) => {
    await using fleet = await startWithNode(dialect)
    fleet.services.breakAt('tunnel.releaseResolver', fail('vpn.peer_dns_state_unsupported'))
    const data = await fleet.remove(await idOf(fleet))
    assert.match(data.follow_up ?? '', RESOLVER)
    assert.equal(await fleet.row(), undefined)
  },
)

forEachDialect(
  'a machine that is left alone is said to ask the fleet for names [NODE-065]',
  async (dialect) => {
    await using fleet = await startWithNode(dialect)
    const data = await fleet.remove(await idOf(fleet), { offline: true })
    assert.match(data.follow_up ?? '', RESOLVER)
    assert.ok(!fleet.services.calls.includes('tunnel.releaseResolver web-1'))
  },
)

forEachDialect(
  'a silent Node needs consent, sheds roles and Processes and is not touched [NODE-093, NODE-095]',
  async (dialect) => {
    await using fleet = await startWithNode(dialect)
    const id = await idOf(fleet)
    await addRole(fleet.store, { node_id: id, role: 'metrics' })
    await addRole(fleet.store, { node_id: id, role: 'router' })
    fleet.services.owns.processes = 3
    fleet.pool.probeFailure = SILENT
    await assert.rejects(fleet.remove(id, { offline: true }), {
      code: 'node.confirmation_required',
      status: 409,
    })
    const data = await fleet.remove(id, { offline: true, force: true })
    assert.deepEqual(data.roles_shed, ['metrics', 'router'])
    assert.deepEqual(data.retained_on_node, [
      'user',
      'package-managers',
      'host-wireguard',
      'firewall',
      'agent',
      'role:metrics',
      'role:router',
    ])
    assert.match(data.degradation ?? '', /metrics or router[^]*fleet cluster:router:set CLUSTER NODE/)
    assert.match(data.follow_up ?? '', /was not changed/)
    assert.match(data.follow_up ?? '', RESOLVER)
    assert.deepEqual(fleet.services.calls, [
      'tunnel.requireConfigured',
      'exporters.revokeAccess web-1',
      'tunnel.leave web-1',
      'membership.withdrawLanAccess web-1',
      'dns.publishWithout web-1',
      `owned.dropProcesses ${id}`,
    ])
    assert.ok(fleet.pool.asked.every((line) => line.startsWith('probe') || line.startsWith('forget')))
    assert.equal(await fleet.row(), undefined)
  },
)

forEachDialect(
  'a silent Node is opened at its console first where its firewall admits SSH over the tunnel only [NODE-095]',
  async (dialect) => {
    for (const { roles, sentence } of [
      {
        roles: ['metrics'] as const,
        sentence:
          'Its firewall admits SSH over that tunnel only, so first open it at its console: `ufw allow 2022/tcp comment fleet:public-ssh-recovery`. When it is back online, enroll it again under any name, or clean it. To clean the machine, run `systemctl disable --now wg-quick@fleet` and',
      },
      {
        roles: [] as const,
        sentence:
          'which the hub no longer accepts. When it is back online, enroll it again under any name, or clean it. To clean the machine,',
      },
    ]) {
      await using fleet = await startWithNode(dialect)
      const id = await idOf(fleet)
      await fleet.store.db.updateTable('nodes').set({ ssh_port: 2022 }).where('id', '=', id).execute()
      for (const role of roles) await addRole(fleet.store, { node_id: id, role })
      fleet.pool.probeFailure = SILENT
      const { follow_up } = await fleet.remove(id, { offline: true, force: true })
      assert.ok(follow_up?.includes(sentence), follow_up ?? '')
    }
  },
)

forEachDialect('a silent Node keeps the guards for what others would lose [NODE-095]', async (dialect) => {
  await using fleet = await startWithNode(dialect)
  const id = await idOf(fleet)
  fleet.pool.probeFailure = SILENT
  for (const what of ['instances', 'routes', 'schedules', 'firewallRules', 'databaseServers'] as const) {
    fleet.services.owns[what] = 1
    await assert.rejects(fleet.remove(id, { offline: true, force: true }), { status: 409 })
    fleet.services.owns[what] = 0
  }
  assert.deepEqual(fleet.services.calls, [])
})

forEachDialect(
  'an offline removal of a Node that answers keeps every guard and only leaves public SSH as it is [NODE-094]',
  async (dialect) => {
    await using fleet = await startWithNode(dialect)
    const id = await idOf(fleet)
    fleet.services.owns.processes = 1
    await assert.rejects(fleet.remove(id, { offline: true }), { code: 'node.has_processes' })
    fleet.services.owns.processes = 0
    await fleet.remove(id, { offline: true })
    assert.deepEqual(fleet.services.calls, [
      'tunnel.requireConfigured',
      'exporters.revokeAccess web-1',
      'exporters.withdraw web-1',
      'agent.remove web-1',
      'tunnel.leave web-1',
      'membership.withdrawLanAccess web-1',
      'dns.publishWithout web-1',
    ])
  },
)

forEachDialect(
  'a Node that no enrolment has reached goes without a word to its machine [NODE-087]',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    fleet.pool.hostKey = SILENT
    await assert.rejects(fleet.enroll())
    fleet.pool.asked.splice(0)
    fleet.services.calls.splice(0)
    const data = await fleet.remove(await idOf(fleet))
    assert.deepEqual([data.retained_on_node, data.follow_up], [[], null])
    assert.equal(data.wireguard_peer_removed, false)
    assert.deepEqual(
      fleet.pool.asked.filter((line) => !line.startsWith('forget')),
      [],
    )
    assert.ok(!fleet.services.calls.some((call) => /firewall|agent|withdraw /.test(call)))
  },
)

forEachDialect('a machine whose Node was removed can be enrolled again [NODE-097]', async (dialect) => {
  await using fleet = await startWithNode(dialect)
  const id = await idOf(fleet)
  await fleet.remove(id)
  const again = await fleet.enroll()
  assert.notEqual(again.id, id)
  assert.equal(again.status, 'active')
})

forEachDialect('one operation at a time holds the Node [GW-038]', async (dialect) => {
  await using fleet = await startWithNode(dialect)
  await using _held = await fleet.store.locks.acquire({
    name: 'node-name:web-1',
    operation: 'node:rename',
    requestId: '00000000-0000-4000-8000-000000000001',
    waitMilliseconds: 0,
    leaseSeconds: 60,
  })
  await assert.rejects(fleet.remove(await idOf(fleet)), { code: 'node.provisioning_busy', status: 409 })
})
