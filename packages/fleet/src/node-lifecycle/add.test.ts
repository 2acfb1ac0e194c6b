import assert from 'node:assert/strict'
import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { SshFailure } from '@fleet/ssh'
import {
  answerText,
  addNode,
  addRole,
  type EnrolmentFleet,
  fakeCall,
  FINGERPRINT,
  forEachDialect,
  startEnrolmentFleet,
} from '@fleet/testing'

const OTHER_KEY = `SHA256:${'B'.repeat(43)}`

forEachDialect(
  'node:add enrolls a machine in the stated order, reports each step and its time, and says that it is new [NODE-026, NODE-050, NODE-051, NODE-052, NODE-053, NODE-054, NODE-055, NODE-056, EV-015, NODE-040]',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    const call = fakeCall()
    const input = {
      name: 'web-1',
      public_ssh_host: '192.0.2.7',
      public_ssh_port: 2222,
      host_key_fingerprint: FINGERPRINT,
      roles: ['app-dev' as const],
      tld: 'test',
      wireguard_ip: '10.44.0.9',
      lan_ip: '192.168.1.9',
      settings: undefined,
    }
    fleet.services.addresses.push('10.44.0.9')
    const { data, created } = await fleet.nodes.handlers['node:add']({ call, input })
    assert.equal(created, true)
    assert.equal(data.status, 'active')
    assert.deepEqual(
      [data.architecture, data.user, data.tld, data.lan_ip, data.wireguard_ip, data.wireguard_public_key],
      ['x86_64', 'fleet', 'test', '192.168.1.9', '10.44.0.9', 'key of web-1'],
    )
    assert.deepEqual([data.roles, data.ssh_host_fingerprint], [['app-dev'], FINGERPRINT])
    assert.deepEqual(fleet.pool.asked, [
      'scan 192.0.2.7:2222',
      "root@192.0.2.7:2222 script 'observe the machine'",
      `root@192.0.2.7:2222 script 'prepare the machine' fleet '${KEY}' 120 no ${PACKAGES}`,
      "fleet@192.0.2.7:2222 script 'observe the machine'",
    ])
    assert.deepEqual(fleet.services.calls, [
      'tunnel.requireConfigured',
      'tunnel.allocate',
      'firewall.bootstrap web-1',
      'tunnel.join web-1',
      'firewall.admitMembers web-1',
      'toolManagers.ensureApt web-1',
      'roles.requireCapable.app-dev web-1',
      'role.app-dev.packages web-1',
      'firewall.closePublicSsh web-1',
      'tunnel.applyResolver web-1',
      'membership.updateLanAccess web-1',
      'dns.publish',
      'exporters.reconcile web-1',
      'agent.converge web-1',
    ])
    const names = [
      'ssh-host-key',
      'bootstrap',
      'fleet-ssh',
      'machine-architecture',
      'wireguard',
      'wireguard-members',
      'tool-manager',
      'role:app-dev',
      'router-lan-access',
      'private-dns',
      'active',
      'metrics-exporters',
      'agent',
    ]
    const reported = names.toSpliced(7, 0, 'role:packages', 'role:public-ssh', 'role:managed-dns')
    assert.deepEqual(
      call.steps.filter((line) => line.endsWith(' done')),
      reported.map((name) => `${name} done`),
    )
    const steps = call.notes.properties['steps'] as Array<{ name: string; milliseconds: number }> // What StepWatch notes.
    assert.deepEqual(
      steps.map(({ name }) => name),
      names,
    )
    assert.ok(steps.every(({ milliseconds }) => Number.isInteger(milliseconds)))
    assert.deepEqual(
      call.events.map(({ type }) => type),
      ['node.created'],
    )
    assert.deepEqual({ ...Object(call.events[0]?.data), follow_up: null }, data)
    assert.deepEqual([call.notes.target, call.notes.subject], [data.id, `node:${data.id}`])
  },
)
const KEY = `ssh-ed25519 ${'B'.repeat(68)} gateway`
const PACKAGES =
  'acl ca-certificates git nftables procps rsync sqlite3 sudo systemd-resolved ufw wireguard-go wireguard-tools'

forEachDialect(
  'the identical request converges the recorded Node and says that it was updated [NODE-026, NODE-061, EV-016, NODE-040]',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    const first = await fleet.enroll()
    fleet.pool.asked.splice(0)
    fleet.services.calls.splice(0)
    const call = fakeCall()
    const input = { name: 'web-1', public_ssh_host: '192.0.2.7', settings: undefined }
    const again = await fleet.nodes.handlers['node:add']({ call, input })
    assert.deepEqual(again, { data: first, created: false })
    assert.deepEqual(
      call.events.map(({ type }) => type),
      ['node.updated'],
    )
    // Without a role public SSH stays open, and the managed user is the first to log in (NODE-040).
    assert.match(fleet.pool.asked[1] ?? '', /^fleet@192\.0\.2\.7:22 /)
    assert.ok(fleet.services.calls.includes('firewall.bootstrap web-1'))
  },
)

forEachDialect(
  'what the firewall closed, and a role replaced, is in the answer, in the Activity and in the failure of the request that turned it on',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    const said = ['It closes 80/tcp (nginx):', 'fleet node:firewall:allow web-1 nginx-80 80']
    fleet.services.world.closedPorts.push(...said)
    fleet.services.breakAt('tunnel.join', fail('vpn.peer_handshake_failed'))
    await assert.rejects(fleet.enroll(), ({ code, details }) => {
      assert.deepEqual(
        [code, details.step, details.follow_up],
        ['vpn.peer_handshake_failed', 'wireguard', said],
      )
      return true
    })
    fleet.services.clearFaults()
    const input = { name: 'web-1', public_ssh_host: '192.0.2.7', settings: undefined }
    const again = await fleet.nodes.handlers['node:add']({ call: fakeCall(), input })
    assert.equal(again.data.follow_up, null)
    const call = fakeCall()
    const other = { ...input, name: 'web-2', host_key_fingerprint: OTHER_KEY }
    fleet.pool.hostKey = OTHER_KEY
    fleet.services.roleSays = 'A file was kept.'
    const { data } = await fleet.nodes.handlers['node:add']({
      call,
      input: { ...other, roles: ['database'] },
    })
    const all = [...said, 'A file was kept.']
    assert.equal(data.follow_up, all.join('\n'))
    assert.deepEqual(call.notes.properties['follow_up'], all)
    assert.ok(!('follow_up' in Object(call.events[0]?.data)))
  },
)

forEachDialect(
  'a Node with a role is converged over its tunnel, and its public SSH stays closed [NODE-129]',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    const node = await fleet.enroll({ roles: ['database'] })
    fleet.pool.asked.splice(0)
    fleet.services.calls.splice(0)
    await fleet.enroll()
    assert.equal(fleet.pool.asked[0], `scan ${node.wireguard_ip}:22`)
    assert.ok(fleet.pool.asked.every((line) => line.includes(`${node.wireguard_ip}:22`)))
    assert.ok(!fleet.services.calls.includes('firewall.bootstrap web-1'))
    assert.ok(!fleet.services.world.publicSsh.has('web-1'))
    // Another first login changes who prepares the machine, never who the managed user is.
    fleet.pool.asked.splice(0)
    await fleet.enroll({ user: 'root' })
    assert.ok(
      fleet.pool.asked.includes(
        `root@${node.wireguard_ip}:22 script 'prepare the machine' fleet '${KEY}' 120 yes ${PACKAGES}`,
      ),
    )
  },
)

/** No address below the tunnel answers a scan, and the others only if said. */
const silence = ({ pool }: EnrolmentFleet, isSilent: (host: string) => boolean): void => {
  const scan = pool.scan.bind(pool)
  pool.scan = async (host, port, milliseconds) => {
    const key = await scan(host, port, milliseconds)
    if (isSilent(host)) throw new SshFailure('unreachable', false)
    return key
  }
}

forEachDialect(
  'a known Node whose tunnel is silent is converged over its public address until the tunnel is made',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    const node = await fleet.enroll({ roles: ['database'] })
    silence(fleet, (host) => host === node.wireguard_ip)
    fleet.pool.asked.splice(0)
    assert.equal((await fleet.enroll()).status, 'active')
    const [first, second, ...later] = fleet.pool.asked
    assert.deepEqual([first, second], [`scan ${node.wireguard_ip}:22`, `scan ${node.public_ssh_host}:22`])
    assert.ok(
      later.length > 0 && later.every((line) => line.includes(`@${node.public_ssh_host}:22`)),
      later.join(),
    )
  },
)

forEachDialect(
  'a Node that answers nowhere is reported with both addresses that were tried',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    const node = await fleet.enroll({ roles: ['database'] })
    silence(fleet, () => true)
    const addresses = [`${node.wireguard_ip}:22`, `${node.public_ssh_host}:22`]
    await assert.rejects(fleet.enroll(), (error) => {
      assert.ok(error instanceof CodedError)
      assert.deepEqual(
        [error.code, error.details?.['addresses']],
        ['node.ssh_host_key_scan_failed', addresses],
      )
      assert.ok(error.message.includes(addresses.join(' or ')))
      return true
    })
  },
)

forEachDialect('another host key at the tunnel address is no silence', async (dialect) => {
  await using fleet = await startEnrolmentFleet(dialect)
  await fleet.addHub()
  await fleet.enroll({ roles: ['database'] })
  fleet.pool.hostKey = OTHER_KEY
  fleet.pool.asked.splice(0)
  await assert.rejects(fleet.enroll({ host_key_fingerprint: undefined }), { code: /host_key/ })
  assert.equal(fleet.pool.asked.length, 1)
})

forEachDialect(
  'the first Node becomes the hub by the same request, from the console without a caller [NODE-064]',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    const call = fakeCall({ caller: undefined })
    await fleet.enroll({ name: 'gateway', roles: ['gateway', 'vpn'] }, call)
    const row = await fleet.row('gateway')
    assert.equal(row?.status, 'active')
    const joins = (): readonly string[] =>
      fleet.services.calls.filter((name) => name.startsWith('tunnel.join'))
    assert.deepEqual(joins(), ['tunnel.join.hub gateway'])
    assert.ok(
      fleet.services.calls.indexOf('role.vpn.packages gateway') <
        fleet.services.calls.indexOf('role.gateway.packages gateway'),
    )
    // Also where a later request does not name the role.
    await fleet.enroll({ name: 'gateway', roles: ['gateway'] }, call)
    assert.deepEqual(joins(), ['tunnel.join.hub gateway', 'tunnel.join.hub gateway'])
  },
)

forEachDialect(
  'values that the request names are stored, and null clears them [NODE-041, NODE-045]',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    const given = {
      fleet_user: 'ops',
      dns_server_override: '9.9.9.9',
      wireguard_endpoint_override: 'hub.example.com:51820',
      lan_ip: '192.168.1.9',
    }
    fleet.pool.reply('observe the machine', observed('/srv/ops'))
    const { user, dns_server_override, wireguard_endpoint_override, lan_ip } = await fleet.enroll(given)
    assert.deepEqual({ fleet_user: user, dns_server_override, wireguard_endpoint_override, lan_ip }, given)
    assert.equal((await fleet.row())?.user_home, '/srv/ops')
    const cleared = await fleet.enroll({ lan_ip: null, dns_server_override: null })
    assert.deepEqual([cleared.lan_ip, cleared.dns_server_override], [null, null])
    assert.equal(cleared.wireguard_endpoint_override, given.wireguard_endpoint_override)
  },
)
const observed = (home: string): string =>
  `system 5\nLinux\narchitecture 6\nx86_64\nuser 3\nops\nhome ${home.length}\n${home}\nroot 3\nyes\nport 4\n2022\n`

forEachDialect(
  'of two Nodes that are offered one free address, the second asks for another [NODE-044]',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    await addNode(fleet.store, { wireguard_ip: '10.44.0.2' })
    fleet.services.addresses.push('10.44.0.2', '10.44.0.3')
    assert.equal((await fleet.enroll()).wireguard_ip, '10.44.0.3')
  },
)

forEachDialect(
  'each refusal comes before anything is recorded or asked of a machine [NODE-036, NODE-047, NODE-062, NODE-069, NODE-071, ROLE-013]',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    const cases = [
      [{ public_ssh_host: undefined }, 'validation.failed', 422],
      [{ host_key_fingerprint: undefined }, 'node.ssh_host_fingerprint_required', 422],
      [{ host_key_fingerprint: null }, 'node.ssh_host_fingerprint_required', 422],
      [{ fleet_user: 'Root!' }, 'node.invalid_linux_user', 422],
      [{ fleet_user: 'root' }, 'node.invalid_linux_user', 422],
      [{ user: '-x' }, 'node.invalid_linux_user', 422],
      [{ platform: 'macos' }, 'node.platform_unsupported', 422],
      [{ roles: ['app-dev'] }, 'node.tld_required', 422],
      [{ roles: ['app-prod', 'database'] }, 'node.role_conflict', 422],
      [{ roles: ['vpn'] }, 'node.role_conflict', 422],
      [{ roles: ['ingress'] }, 'validation.failed', 422],
      [{ roles: ['database', 'database'] }, 'validation.failed', 422],
      [{ settings: { apps: 7 } }, 'node.settings_invalid', 422],
      [{ settings: { apps: { path: 'work' } } }, 'node.settings_path_invalid', 422],
      [{ settings: { apps: { path: '/etc/apps' } } }, 'node.settings_path_protected', 422],
    ] as const
    for (const [given, code, status] of cases)
      await assert.rejects(fleet.enroll(given as never), { code, status }, code) // The last members are what no client may send.
    assert.deepEqual(fleet.pool.asked, [])
    assert.equal(await fleet.row(), undefined)
    assert.deepEqual([...new Set(fleet.services.calls)], ['tunnel.requireConfigured'])
  },
)

forEachDialect('settings of an enrolment are those of the Node [NODE-048]', async (dialect) => {
  await using fleet = await startEnrolmentFleet(dialect)
  await fleet.addHub()
  fleet.pool.reply('check the apps root', answerText({ root: 'accepted' }))
  const settings = { apps: { path: '/data/apps' } }
  assert.deepEqual((await fleet.enroll({ settings })).settings, settings)
})

forEachDialect('an app-dev Node may use the top-level domain of its Cluster [NODE-062]', async (dialect) => {
  await using fleet = await startEnrolmentFleet(dialect)
  await fleet.addHub()
  fleet.services.clusterTld = 'shared'
  assert.deepEqual((await fleet.enroll({ roles: ['app-dev'], cluster_id: 3 })).roles, ['app-dev'])
  assert.ok(fleet.services.calls.some((call) => call.startsWith('membership.attach')))
})

forEachDialect(
  'the Cluster judges the Node as it is now, before anything is recorded [NODE-043]',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    const judged: unknown[] = []
    Object.assign(fleet.services.membership, {
      requireAttachable: async (_call: unknown, cluster: number, node: { cluster_id: number | null }) => {
        judged.push([cluster, node.cluster_id])
        if (cluster === 9) throw fail('cluster.not_found')
      },
    })
    await assert.rejects(fleet.enroll({ cluster_id: 9 }), { code: 'cluster.not_found', status: 404 })
    assert.equal(await fleet.row(), undefined)
    await fleet.enroll({ cluster_id: 3 })
    await fleet.store.db.updateTable('nodes').set({ cluster_id: 3 }).where('name', '=', 'web-1').execute()
    await fleet.enroll({ cluster_id: 4 })
    assert.deepEqual(judged, [
      [9, null],
      [3, null],
      [4, 3],
    ])
  },
)

forEachDialect('without a hub a Node cannot join, so the first one must be it', async (dialect) => {
  await using fleet = await startEnrolmentFleet(dialect)
  await assert.rejects(fleet.enroll(), { code: 'node.capability_missing', status: 409 })
  assert.equal(await fleet.row(), undefined)
})

forEachDialect('a fleet without a private network enrolls nothing and asks nothing', async (dialect) => {
  await using fleet = await startEnrolmentFleet(dialect)
  fleet.services.breakAt('tunnel.requireConfigured', new Error('none'))
  await assert.rejects(fleet.enroll(), /none/)
  assert.deepEqual(fleet.services.calls, ['tunnel.requireConfigured'])
})

forEachDialect(
  'three host-key faults have three codes, and nobody logs in after any of them [NODE-050, NODE-077]',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    fleet.pool.hostKey = OTHER_KEY
    await assert.rejects(fleet.enroll(), { code: 'node.ssh_host_key_mismatch', status: 409 })
    const failed = await fleet.row()
    assert.deepEqual(
      [failed?.status, failed?.failed_step, failed?.error_code, failed?.ssh_host_fingerprint],
      ['failed', 'ssh-host-key', 'node.ssh_host_key_mismatch', null],
    )
    // Nothing was pinned yet, so the request may be corrected.
    const node = await fleet.enroll({ host_key_fingerprint: OTHER_KEY, public_ssh_port: 2222 })
    assert.deepEqual([node.ssh_host_fingerprint, node.public_ssh_port], [OTHER_KEY, 2222])
    fleet.pool.asked.splice(0)
    fleet.pool.hostKey = FINGERPRINT
    await assert.rejects(fleet.enroll({ host_key_fingerprint: null }), {
      code: 'node.ssh_host_key_changed',
    })
    assert.deepEqual(fleet.pool.asked, ['scan 192.0.2.7:2222'])
  },
)

forEachDialect(
  'a corrected request gets no tunnel address that a new one would not get, and changes nothing then [NODE-044]',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    const hub = await fleet.addHub()
    fleet.pool.hostKey = new SshFailure('unreachable', false)
    await assert.rejects(fleet.enroll())
    fleet.pool.hostKey = FINGERPRINT
    const failed = await fleet.row()
    // Another request may take the address just after it was found free.
    const taken = { wireguard_ip: hub.wireguard_ip }
    await assert.rejects(fleet.enroll(taken), { code: 'vpn.address_taken', status: 409, details: taken })
    assert.deepEqual(await fleet.row(), failed)
    fleet.services.breakAt('tunnel.allocate', fail('vpn.address_invalid'))
    await assert.rejects(fleet.enroll({ wireguard_ip: '8.8.8.8' }), {
      code: 'vpn.address_invalid',
      status: 422,
    })
    assert.deepEqual(await fleet.row(), failed)
    // Its own address is no new one.
    assert.equal((await fleet.enroll({ wireguard_ip: failed?.wireguard_ip })).status, 'active')
  },
)

forEachDialect('of two names that one machine gets at one moment it has the first', async (dialect) => {
  await using fleet = await startEnrolmentFleet(dialect)
  await fleet.addHub()
  const names = ['web-1', 'web-2'] as const
  const ends = await Promise.allSettled(names.map((name) => fleet.enroll({ name })))
  const codes = ends.flatMap((end) => (end.status === 'rejected' ? [Object(end.reason).code] : []))
  assert.deepEqual(codes, ['node.converge_conflict'])
  const second = names.find((_, at) => ends[at]?.status === 'rejected') ?? assert.fail()
  // Refused before it was stored where the other was faster.
  const row = await fleet.row(second)
  if (row) assert.deepEqual([row.status, row.ssh_host_fingerprint], ['failed', null])
  await assert.rejects(fleet.enroll({ name: second }), { code: 'node.converge_conflict' })
})

forEachDialect('a machine that is a Node already is no other one, whatever its status', async (dialect) => {
  await using fleet = await startEnrolmentFleet(dialect)
  await fleet.addHub()
  const { id } = await fleet.enroll({ public_ssh_host: 'web.example' })
  const failed = { name: 'web1', public_ssh_host: '192.0.2.8' }
  fleet.pool.hostKey = new SshFailure('unreachable', false)
  await assert.rejects(fleet.enroll(failed))
  fleet.pool.hostKey = FINGERPRINT
  const before = [await fleet.row(), await fleet.row('web1')]
  fleet.services.calls.splice(0)
  fleet.pool.asked.splice(0)
  for (const given of [{ name: 'web2' }, failed])
    await assert.rejects(fleet.enroll({ ...given, public_ssh_host: 'WEB.example' }), (error) => {
      assert.ok(error instanceof CodedError)
      assert.deepEqual(
        [error.code, error.details],
        ['node.converge_conflict', { holder: { id, name: 'web-1' } }],
      )
      assert.match(error.message, /already the Node web-1/)
      return true
    })
  assert.deepEqual(
    [await fleet.row(), await fleet.row('web1'), await fleet.row('web2')],
    [...before, undefined],
  )
  assert.deepEqual(
    [new Set(fleet.services.calls), fleet.pool.asked],
    [new Set(['tunnel.requireConfigured']), []],
  )
})

forEachDialect(
  'copies of a machine, and machines behind one address, are Nodes of their own',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    await fleet.enroll()
    for (const given of [
      { name: 'copy', public_ssh_host: '192.0.2.8' },
      { name: 'forwarded', public_ssh_port: 2222 },
    ])
      assert.equal((await fleet.enroll(given)).name, given.name)
    fleet.pool.hostKey = OTHER_KEY
    assert.equal(
      (await fleet.enroll({ name: 'installed-anew', host_key_fingerprint: OTHER_KEY })).status,
      'active',
    )
  },
)

forEachDialect(
  'a recorded Node keeps its machine and its user; another value of them is refused [NODE-041, NODE-070]',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    await fleet.enroll({ roles: ['database'] })
    const row = await fleet.row()
    await assert.rejects(fleet.enroll({ fleet_user: 'ops' }), {
      code: 'node.user_change_unsupported',
      status: 409,
    })
    await assert.rejects(fleet.enroll({ public_ssh_host: '192.0.2.8', wireguard_ip: '10.9.9.9' }), {
      code: 'node.converge_conflict',
      details: { members: ['public_ssh_host', 'wireguard_ip'] },
    })
    assert.deepEqual(await fleet.row(), row)
  },
)

forEachDialect(
  'a Node that owns Instances takes a changed top-level domain alone [NODE-061]',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    await fleet.enroll({ roles: ['app-dev'], tld: 'one' })
    fleet.services.owns.instances = 2
    for (const given of [
      {},
      { tld: 'one' },
      { tld: 'two', lan_ip: '10.0.0.1' },
      { tld: 'two', roles: ['metrics' as const] },
    ])
      await assert.rejects(fleet.enroll(given), { code: 'node.has_instances', status: 409 })
    assert.equal((await fleet.enroll({ tld: 'two' })).tld, 'two')
  },
)

forEachDialect('one operation at a time holds a Node name [GW-038]', async (dialect) => {
  await using fleet = await startEnrolmentFleet(dialect)
  await fleet.addHub()
  await using _held = await fleet.store.locks.acquire({
    name: 'node-name:web-1',
    operation: 'node:rename',
    requestId: '00000000-0000-4000-8000-000000000001',
    waitMilliseconds: 0,
    leaseSeconds: 60,
  })
  await assert.rejects(fleet.enroll(), { code: 'node.provisioning_busy', status: 409 })
  assert.deepEqual(fleet.pool.asked, [])
})

forEachDialect(
  'a claim that a dead request left on a role does not keep the next one waiting',
  async (dialect) => {
    await using fleet = await startEnrolmentFleet(dialect)
    await fleet.addHub()
    const { id } = await fleet.enroll()
    const claimed_at = new Date().toISOString()
    await addRole(fleet.store, { node_id: id, role: 'database', status: 'provisioning', claimed_at })
    assert.deepEqual((await fleet.enroll({ roles: ['database'] })).roles, ['database'])
  },
)

forEachDialect(
  'a user that the machine has already is used by the first enrolment only if the request names it',
  async (dialect) => {
    for (const [members, word] of [
      [{}, 'no'],
      [{ fleet_user: 'fleet' }, 'yes'],
      [{ user: 'fleet' }, 'yes'],
    ] as const) {
      await using fleet = await startEnrolmentFleet(dialect)
      await fleet.addHub()
      await fleet.enroll(members)
      assert.ok(fleet.pool.asked.some((line) => line.includes(`' 120 ${word} acl `)))
    }
  },
)
