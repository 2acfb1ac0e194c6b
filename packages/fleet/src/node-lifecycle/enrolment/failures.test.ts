import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { findNodeByName } from '#/nodes/api.ts'
import { SshFailure } from '@fleet/ssh'
import {
  answerText,
  addNode,
  asCaller,
  type EnrolmentFleet,
  fakeCall,
  FINGERPRINT,
  observedReply,
  startEnrolmentFleet,
} from '@fleet/testing'

/** How each step of an enrolment is broken, by its name; the request of each asks for everything. */
const BREAKS: Readonly<Record<string, (fleet: EnrolmentFleet, error: Error) => void>> = {
  'ssh-host-key': ({ pool }) => void (pool.hostKey = new SshFailure('unreachable', false)),
  bootstrap: ({ pool }, error) => pool.reply('prepare the machine', error),
  'fleet-ssh': ({ pool }, error) => failSecondLogin(pool, error),
  'machine-architecture': ({ pool }) =>
    pool.reply('observe the machine', observedReply({ architecture: '' })),
  wireguard: ({ services }, error) => services.breakAt('tunnel.join', error),
  'wireguard-members': ({ services }, error) => services.breakAt('firewall.admitMembers', error),
  'tool-manager': ({ services }, error) => services.breakAt('toolManagers.ensureApt', error),
  'role:database': ({ services }, error) => services.breakAt('role.database.packages', error),
  cluster: ({ services }, error) => services.breakAt('membership.attach', error),
  'router-lan-access': ({ services }, error) => services.breakAt('membership.updateLanAccess', error),
  'private-dns': ({ services }, error) => services.breakAt('dns.publish', error),
  settings: ({ pool }, error) => pool.reply('check the apps root', error),
  agent: ({ services }, error) => services.breakAt('agent.converge', error),
}

/** The first login observes the machine as well. */
const failSecondLogin = (pool: EnrolmentFleet['pool'], error: Error): void => {
  let logins = 0
  pool.onRun = (_target, shown) => (shown.includes('observe') && ++logins === 2 ? error : undefined)
}

const REQUEST = {
  roles: ['database' as const],
  cluster_id: 5,
  lan_ip: '10.1.0.9',
  settings: { apps: { path: '/data/apps' } },
}

const start = async (): Promise<EnrolmentFleet> => {
  const fleet = await startEnrolmentFleet()
  fleet.pool.reply('check the apps root', answerText({ root: 'accepted' }))
  await fleet.addHub()
  return fleet
}

const clearFaults = (fleet: EnrolmentFleet): void => {
  fleet.services.clearFaults()
  fleet.pool.hostKey = FINGERPRINT
  fleet.pool.reply('observe the machine', observedReply())
  fleet.pool.reply('prepare the machine', answerText({ outcome: 'unchanged' }))
  fleet.pool.reply('check the apps root', answerText({ root: 'accepted' }))
}

const grants = ({ store }: EnrolmentFleet) =>
  store.db
    .selectFrom('node_grants')
    .select(['consumer_node_id', 'serving_node_id'])
    .orderBy('consumer_node_id')
    .execute()

test('the gateway and the Node that enrolled may act on a Node whose enrolment failed, and on who continues with it too', async () => {
  await using fleet = await start()
  const hub = await findNodeByName(fleet.store.db, 'hub')
  const [desk, other] = [await addNode(fleet.store, { name: 'desk' }), await addNode(fleet.store)]
  fleet.services.breakAt('tunnel.join', fail('node.command_failed'))
  await assert.rejects(fleet.enroll(REQUEST, fakeCall({ caller: asCaller(desk) })))
  const node = await findNodeByName(fleet.store.db, 'web-1')
  assert.ok(hub && node?.status === 'failed')
  const on = (...consumers: readonly number[]) =>
    consumers.map((consumer_node_id) => ({ consumer_node_id, serving_node_id: node.id }))
  assert.deepEqual(await grants(fleet), on(hub.id, desk.id))
  clearFaults(fleet)
  await fleet.enroll(REQUEST, fakeCall({ caller: asCaller(other) }))
  assert.deepEqual(await grants(fleet), on(hub.id, desk.id, other.id))
  await fleet.store.db.deleteFrom('node_grants').execute()
  await fleet.enroll(REQUEST, fakeCall({ caller: asCaller(desk) }))
  assert.deepEqual(await grants(fleet), [], 'a converge gives back no grant that was taken')
})

/** The step at which a failure stands in the record: a role is named by its own step. */
const recordedStep = (step: string): string => (step === 'role:database' ? 'role:packages' : step)

test('the table of breaks names every step that can fail, in order', async () => {
  await using fleet = await start()
  const call = fakeCall()
  await fleet.enroll(REQUEST, call)
  const steps = call.notes.properties['steps'] as Array<{ name: string }> // What StepWatch notes.
  const quiet = ['active', 'cluster-dns', 'metrics-exporters']
  assert.deepEqual(
    steps.map(({ name }) => name).filter((name) => !quiet.includes(name)),
    Object.keys(BREAKS),
  )
})

test('whatever step of a new Node fails is named with its code, and the identical request finishes [NODE-021, NODE-057, NODE-059, NODE-063, NODE-078, NODE-079, NODE-080, NODE-081, NODE-082, EV-015]', async () => {
  for (const [step, breakStep] of Object.entries(BREAKS)) {
    await using fleet = await start()
    breakStep(fleet, fail('vpn.tools_missing'))
    const call = fakeCall()
    const failure = await fleet
      .enroll(REQUEST, call)
      .catch((error: unknown) => error as ReturnType<typeof fail>) // The gateway throws nothing else.
    assert.ok(failure instanceof Error, step)
    assert.equal(failure.code, CODES[step], step)
    assert.equal(failure.details?.['step'], recordedStep(step))
    const row = await fleet.row()
    assert.equal(row?.status, step === 'settings' ? 'active' : 'failed', step)
    assert.deepEqual([row?.failed_step, row?.error_code], [recordedStep(step), failure.code])
    assert.deepEqual(call.events, [])
    if (step === 'settings') assert.ok(!fleet.services.calls.includes('agent.converge web-1'))
    clearFaults(fleet)
    const again = fakeCall()
    const node = await fleet.enroll(REQUEST, again)
    assert.deepEqual([node.status, node.failed_step, node.error_code], ['active', null, null], step)
    assert.deepEqual([node.roles, node.settings], [['database'], { apps: { path: '/data/apps' } }])
    assert.deepEqual(
      again.events.map(({ type }) => type),
      ['node.created'],
      step,
    )
  }
})
const CODES: Readonly<Record<string, string>> = {
  'ssh-host-key': 'node.ssh_host_key_scan_failed',
  bootstrap: 'node.bootstrap_failed',
  'fleet-ssh': 'node.fleet_ssh_failed',
  'machine-architecture': 'node.architecture_unavailable',
  'role:database': 'node.role_convergence_failed',
  settings: 'vpn.tools_missing',
  agent: 'node.agent_install_failed',
  ...Object.fromEntries(
    ['wireguard', 'wireguard-members', 'tool-manager', 'cluster', 'router-lan-access', 'private-dns'].map(
      (step) => [step, 'vpn.tools_missing'],
    ),
  ),
}

test('whatever step of an active Node fails before it is active again leaves record, roles and network as they were [NODE-022]', async () => {
  for (const [step, breakStep] of Object.entries(BREAKS)) {
    await using fleet = await start()
    await fleet.enroll({ tld: 'old', lan_ip: '10.1.0.1' })
    const before = { row: await fleet.row(), world: structuredClone(fleet.services.world) }
    breakStep(fleet, fail('vpn.tools_missing'))
    const call = fakeCall()
    await assert.rejects(fleet.enroll({ ...REQUEST, tld: 'new' }, call))
    const row = await fleet.row()
    assert.equal(row?.status, 'active', step)
    if (step === 'agent' || step === 'settings') {
      assert.deepEqual([row?.tld, row?.apps_path], ['new', step === 'settings' ? null : '/data/apps'])
    } else {
      assert.deepEqual(
        { row, world: withoutTrace(fleet) },
        { row: before.row, world: { ...before.world } },
        step,
      )
    }
    clearFaults(fleet)
    const node = await fleet.enroll({ ...REQUEST, tld: 'new' })
    assert.deepEqual([node.status, node.tld, node.roles], ['active', 'new', ['database']], step)
  }
})
/** What a role brought to the machine stays there, unused, until the identical request. */
const withoutTrace = ({ services }: EnrolmentFleet) => ({ ...services.world, roles: new Set<string>() })

test('sites follow another LAN address once the record and the rules have it, and follow it back when the request fails', async () => {
  await using fleet = await start()
  const { services } = fleet
  const { id } = await fleet.enroll({ lan_ip: '10.1.0.1' })
  const said = async (request: Parameters<typeof fleet.enroll>[0]): Promise<readonly string[]> => {
    services.calls.length = 0
    await fleet.enroll(request).catch(() => undefined)
    return services.calls.filter((call) => /^(?:routes|membership)\./.test(call))
  }
  assert.deepEqual(await said({}), ['membership.updateLanAccess web-1'], 'none is named')
  const followed = ['membership.updateLanAccess web-1', `routes.followLan ${id}`]
  assert.deepEqual(
    await said({ lan_ip: '10.1.0.1' }),
    followed,
    'the same one: an earlier request may have died',
  )
  assert.deepEqual(await said({ lan_ip: '10.1.0.2' }), followed)
  services.breakAt('dns.publish', fail('vpn.tools_missing'))
  assert.deepEqual(await said({ lan_ip: '10.1.0.3' }), [...followed, followed[0], followed[1]])
  assert.equal((await fleet.row())?.lan_ip, '10.1.0.2')
})

test('a failed request gives the tunnel back whatever of it followed the request, names below the top-level domain too [NODE-022]', async () => {
  for (const [member, was, wanted, joins] of [
    ['tld', 'old', 'new', 2],
    ['dns_server_override', '192.0.2.53', '192.0.2.54', 2],
    ['wireguard_endpoint_override', 'a.example:51820', 'b.example:51820', 2],
    ['lan_ip', '10.1.0.1', '10.1.0.2', 1],
  ] as const) {
    await using fleet = await start()
    const { services } = fleet
    await fleet.enroll({ [member]: was })
    services.calls.length = 0
    services.breakAt('dns.publish', fail('vpn.tools_missing'))
    await assert.rejects(fleet.enroll({ [member]: wanted }))
    assert.equal(services.calls.filter((call) => call === 'tunnel.join web-1').length, joins, member)
  }
})

test('a request that dies in any step leaves the Node provisioning, and the identical one finishes [NODE-020]', async () => {
  for (const [step, breakStep] of Object.entries(BREAKS)) {
    if (step === 'ssh-host-key' || step === 'machine-architecture') continue
    await using fleet = await start()
    // The lock is gone with the process that held it: nothing more is written.
    breakStep(fleet, fail('node.lock_lost'))
    await assert.rejects(fleet.enroll(REQUEST))
    const row = await fleet.row()
    assert.equal(row?.status, step === 'settings' || step === 'agent' ? 'active' : 'provisioning', step)
    assert.equal(row?.failed_step, null)
    clearFaults(fleet)
    assert.equal((await fleet.enroll(REQUEST)).status, 'active', step)
  }
})

test('every step may be made twice: a second enrolment leaves the same record and the same world', async () => {
  await using fleet = await start()
  await fleet.enroll(REQUEST)
  const before = { row: await fleet.row(), world: structuredClone(fleet.services.world) }
  await fleet.enroll(REQUEST)
  assert.deepEqual({ row: await fleet.row(), world: fleet.services.world }, before)
})

test('exporters that fail leave the Node active with its metrics degraded, and the agent is installed [NODE-058]', async () => {
  await using fleet = await start()
  fleet.services.breakAt('exporters.reconcile')
  const call = fakeCall()
  assert.equal((await fleet.enroll({}, call)).status, 'active')
  assert.equal(call.notes.properties['metrics'], 'degraded')
  assert.ok(call.steps.includes('metrics-exporters failed'))
  assert.ok(fleet.services.world.agents.has('web-1'))
})

test('the machine is judged by what it says of itself [NODE-038, NODE-072, NODE-080]', async () => {
  await using fleet = await start()
  fleet.pool.reply('observe the machine', observedReply({ system: 'Darwin' }))
  await assert.rejects(fleet.enroll(), {
    code: 'node.platform_mismatch',
    status: 409,
    details: { expected: 'linux', node: { id: 2, name: 'web-1' }, step: 'machine-architecture' },
  })
  fleet.pool.reply('observe the machine', observedReply({ architecture: 'aarch64' }))
  await assert.rejects(fleet.enroll({ architecture: 'x86_64' }), {
    code: 'node.architecture_mismatch',
    status: 409,
  })
  // The first value is kept, so a request that names none is not enough to take another machine (NODE-052).
  assert.equal((await fleet.row())?.architecture, 'aarch64')
  fleet.pool.reply('observe the machine', observedReply())
  await assert.rejects(fleet.enroll(), { code: 'node.architecture_mismatch' })
})

test('why a machine could not be prepared is reported in a word, never in its output', async () => {
  await using fleet = await start()
  for (const [reply, reason] of [
    [answerText({ refused: 'packages-locked' }), 'packages-locked'],
    ['Segmentation fault', 'broken'],
    [{ exitCode: 1, stdout: answerText({ outcome: 'prepared' }) }, 'broken'],
  ] as const) {
    fleet.pool.reply('prepare the machine', reply)
    await assert.rejects(fleet.enroll(), ({ code, details }) => {
      assert.deepEqual([code, details.reason], ['node.bootstrap_failed', reason])
      assert.equal(details.error_code, reason === 'packages-locked' ? 'node.tool_manager_locked' : undefined)
      return true
    })
  }
  fleet.pool.reply('observe the machine', observedReply({ root: 'no' }))
  await assert.rejects(fleet.enroll(), {
    message: /^The user root of the first login .*sudoers\.d\/root`$/,
    details: { reason: 'no-root', user: 'root', step: 'bootstrap', node: { id: 2, name: 'web-1' } },
  })
})

test('a refused login names its user, and what may be the reason at its step', async () => {
  await using fleet = await start()
  const refused = new SshFailure('authentication', false)
  fleet.pool.reply('observe the machine', refused)
  await assert.rejects(fleet.enroll(), ({ code, message, details }) => {
    assert.deepEqual([code, details.error_code], ['node.bootstrap_failed', 'node.authentication_failed'])
    assert.equal(details.user, 'root')
    assert.match(message, /for the user root\. `fleet gateway:ssh-key` .* `--user`\.$/)
    return true
  })
  fleet.pool.reply('observe the machine', observedReply())
  failSecondLogin(fleet.pool, refused)
  await assert.rejects(fleet.enroll(), ({ code, message, details }) => {
    assert.deepEqual([code, details.error_code], ['node.fleet_ssh_failed', 'node.authentication_failed'])
    assert.equal(details.user, 'fleet')
    assert.match(message, /^The SSH server of the machine refused the managed user fleet, .*AllowUsers/)
    return true
  })
})

test('a managed user that may not become root is refused [NODE-079]', async () => {
  await using fleet = await start()
  let asked = 0
  fleet.pool.onRun = ({ user }) =>
    user === 'fleet' && ++asked > 0 ? observedReply({ root: 'no' }) : undefined
  await assert.rejects(fleet.enroll(), {
    code: 'node.fleet_ssh_failed',
    status: 502,
    message: /^The managed user fleet logs in, .* `sudo -l -U fleet`/,
  })
  assert.equal(asked, 1)
})

test('a step that failed says why, with all that its cause knows: its message, a path, who holds a lock', async () => {
  const cause = fail('node_role.directory_unsafe', { message: 'It is a link.', details: { path: '/home' } })
  await using fleet = await start()
  fleet.services.breakAt('role.database.packages', cause)
  await assert.rejects(fleet.enroll(REQUEST), ({ code, message, details }) => {
    assert.equal(code, 'node.role_convergence_failed')
    assert.equal(message, 'The step `packages` of the role database failed on web-1: It is a link.')
    const { error_code, role, step, path } = details
    assert.deepEqual(
      [error_code, role, step, path],
      ['node_role.directory_unsafe', 'database', 'role:packages', '/home'],
    )
    return true
  })
  clearFaults(fleet)
  fleet.services.breakAt('agent.converge', cause)
  await assert.rejects(fleet.enroll(REQUEST), ({ message, details }) => {
    assert.equal(message, 'The agent could not be installed on web-1: It is a link.')
    assert.equal(details.path, '/home')
    return true
  })
})
