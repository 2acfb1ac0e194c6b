import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { addNode, fakeCall, refusalOf } from '@fleet/testing'
import { adopt, type AptWorld, install, remove, request, startAptWorld } from '#/tools/world.test.ts'

const inWorld = (name: string, work: (world: AptWorld) => Promise<void>): void =>
  void test(name, async () => {
    await using world = await startAptWorld()
    await work(world)
  })

const INSTALL =
  '-q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=2 -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold --no-install-recommends --no-remove --fix-broken install -- jq'

inWorld(
  'an installation runs one fixed command, and its record has the version that is there then [TOOL-010, TOOL-016, TOOL-024, TLX-003, TLX-009, TLX-010, TLX-021]',
  async (world) => {
    world.set('jq', { candidate: '1.7.1-3' })
    const { data, created } = await install(world, 'jq')
    assert.equal(created, true)
    assert.deepEqual(data, {
      id: data.id,
      node_id: world.fleet.node.id,
      manager: 'apt',
      package: 'jq',
      version_constraint: null,
      status: 'installed',
      installed_version: '1.7.1-3',
      failed_operation: null,
      error_code: null,
      outcome: 'applied',
    })
    assert.deepEqual(world.ran(), [INSTALL])
  },
)

inWorld(
  'an exact repeat is unchanged, and another constraint a conflict [GW-021, TOOL-001, TOOL-030, TLX-003]',
  async (world) => {
    world.set('jq', { candidate: '1.7.1-3' })
    const first = await install(world, 'jq', '^1.7')
    const again = await install(world, 'jq', '^1.7')
    assert.equal(first.created, true)
    assert.deepEqual(again, { data: { ...first.data, outcome: 'unchanged' }, created: false })
    assert.equal(world.ran().length, 1)
    await assert.rejects(install(world, 'jq'), {
      code: 'tool.constraint_conflict',
      status: 409,
      details: { step: 'install', outcome: 'manager_failed', id: first.data.id, version_constraint: '^1.7' },
    })
    assert.equal((await world.rows()).length, 1)
  },
)

inWorld(
  'a constraint that was refused before anything was installed is corrected by the next request, and only then [TOOL-027, TOOL-028, TOOL-030]',
  async (world) => {
    world.set('jq', { candidate: '1.7.1-3' })
    await assert.rejects(install(world, 'jq', '^99'), { code: 'tool.version_constraint_blocked' })
    const { data } = await install(world, 'jq', '^1.7')
    assert.deepEqual([data.status, data.version_constraint], ['installed', '^1.7'])
    await assert.rejects(install(world, 'jq', '^1'), { code: 'tool.constraint_conflict' })
    world.set('odd', { candidate: '2:1-x' })
    await assert.rejects(install(world, 'odd', '^1'), { code: 'tool.candidate_version_unparseable' })
    const odd = await install(world, 'odd')
    assert.deepEqual([odd.data.status, odd.data.version_constraint], ['installed', null])
    assert.equal((await world.rows()).length, 2)
  },
)

inWorld('a package that is there without a record is adopted, not installed [TOOL-023]', async (world) => {
  world.set('jq', { candidate: '1.7.1-3', installed: '1.6.0-1' })
  await assert.rejects(install(world, 'jq'), { code: 'tool.already_installed_unmanaged', status: 409 })
  assert.deepEqual([await world.rows(), world.ran()], [[], []])
})

inWorld('settings that a removal left do not count as installed [TLX-021]', async (world) => {
  world.set('jq', { candidate: '1.7.1-3', installed: '1.6.0-1', status: 'config-files' })
  assert.equal((await install(world, 'jq')).data.installed_version, '1.7.1-3')
})

inWorld(
  'a failure stays on the record with its id, and the repeat finishes it [TOOL-004, TOOL-019, TOOL-025, TOOL-029, TOOL-063, TLX-041]',
  async (world) => {
    world.set('jq', { candidate: '1.7.1-3' })
    world.fail('Sub-process /usr/bin/dpkg returned an error code (1)')
    await assert.rejects(install(world, 'jq'), { code: 'tool.install_failed', status: 502 })
    await assert.rejects(install(world, 'jq'), {
      details: {
        node: { id: world.fleet.node.id, name: world.fleet.node.name },
        reason: 'failed',
        step: 'install',
        outcome: 'manager_failed',
        id: (await world.rows())[0]?.id,
      },
    })
    const [row] = await world.rows()
    assert.deepEqual(
      [row?.status, row?.failed_operation, row?.error_code, row?.outcome, row?.installed_version],
      ['failed', 'install', 'tool.install_failed', 'manager_failed', null],
    )
    world.works()
    const { data, created } = await install(world, 'jq')
    assert.deepEqual([data.id, data.status, data.error_code, created], [row?.id, 'installed', null, false])
  },
)

inWorld(
  'a package database that stays locked changes nothing, and the error says who has it where apt does [TOOL-017]',
  async (world) => {
    world.set('jq', { candidate: '1.7.1-3' })
    world.fail(
      'Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?',
    )
    const refused = async (by: string) => {
      world.locked(by)
      const { code, message, details } = await refusalOf(install(world, 'jq'))
      assert.deepEqual([code, details['reason']], ['tool.install_failed', 'locked'])
      return [message, details['holder']]
    }
    const anybody = await refused('')
    assert.match(String(anybody[0]), /^Another program on the Node kept the package database locked/)
    assert.deepEqual(anybody.slice(1), [undefined])
    assert.deepEqual(await refused(' It is held by process 812 (unattended-upgr)'), [
      'On the Node, unattended-upgr (process 812) kept the package database locked, so nothing was changed. `ps -fp 812` there says what it is; repeat the command once it has ended.',
      { process_id: 812, program: 'unattended-upgr' },
    ])
    // The name is the program's own choice.
    assert.deepEqual(await refused(' It is held by process 812 (a $(b))'), anybody)
    assert.equal(world.installed('jq'), undefined)
    world.works()
    assert.equal((await install(world, 'jq')).data.status, 'installed')
  },
)

inWorld(
  'a candidate outside the constraint, or one that cannot be compared, installs nothing and leaves the Tool failed [TOOL-026, TOOL-027, TOOL-028, TLX-033, TLX-046]',
  async (world) => {
    world.set('jq', { candidate: '1.7.1-3' })
    await assert.rejects(
      install(world, 'jq', '^2'),
      (error: { code: string; status: number; details: object }) => {
        assert.deepEqual([error.code, error.status], ['tool.version_constraint_blocked', 422])
        assert.deepEqual(error.details, {
          candidate_version: '1.7.1-3',
          version_constraint: '^2',
          step: 'install',
          outcome: 'blocked_by_constraint',
          id: (error.details as { id: number }).id, // It is compared with the record below.
        })
        return true
      },
    )
    world.set('vim', { candidate: '2:9.1.0-1' })
    await assert.rejects(install(world, 'vim', '>=1'), {
      code: 'tool.candidate_version_unparseable',
      status: 422,
    })
    assert.deepEqual(
      (await world.rows()).map(({ package: name, status, outcome }) => [name, status, outcome]),
      [
        ['jq', 'failed', 'blocked_by_constraint'],
        ['vim', 'failed', 'candidate_version_unparseable'],
      ],
    )
    assert.deepEqual(world.ran(), [])
  },
)

inWorld('a name that nothing offers is refused and leaves no record', async (world) => {
  await assert.rejects(install(world, 'no-such-thing'), {
    code: 'tool.candidate_version_unavailable',
    details: { step: 'install', outcome: 'candidate_version_unavailable' },
  })
  assert.deepEqual(await world.rows(), [])
})

inWorld('a version that came to be outside the constraint fails the Tool [TLX-044]', async (world) => {
  world.set('jq', { candidate: '1.7.1-3' })
  world.fail('it broke', 'after')
  await assert.rejects(install(world, 'jq', '^1.7'))
  world.works()
  world.set('jq', { candidate: '2.0.0-1', installed: '2.0.0-1' })
  await assert.rejects(install(world, 'jq', '^1.7'), { code: 'tool.installed_version_constraint_violated' })
  assert.equal((await world.rows())[0]?.status, 'failed')
})

inWorld(
  'no name leaves its argument, and none that the manager cannot have is asked for [TOOL-022, TLX-019, TLX-020, TLX-042]',
  async (world) => {
    const names = [
      'a;b',
      'jq -y',
      '--force-yes',
      'JQ',
      'openssh-server-',
      '$(id)',
      'a/b',
      'jq=1',
      '../x',
      'a',
    ]
    for (const name of names)
      await assert.rejects(install(world, name), { code: 'tool.package_invalid', status: 422 }, name)
    const constraint = { version_constraint: 'not a range' }
    for (const [step, work] of [
      ['install', install(world, 'jq', constraint.version_constraint)],
      [
        'adopt',
        world.handlers['tool:adopt']({ call: fakeCall(), input: { ...request(world, 'jq'), ...constraint } }),
      ],
    ] as const)
      await assert.rejects(work, {
        code: 'tool.constraint_invalid',
        status: 422,
        details: { step, outcome: 'constraint_invalid' },
      })
    assert.deepEqual([world.ran(), world.fleet.host.pool.commands], [[], []])
  },
)

const PROTECTED = [
  'acl',
  'attr',
  'ca-certificates',
  'caddy',
  'composer',
  'curl',
  'dnsmasq',
  'docker.io',
  'git',
  'gnupg',
  'libnss-resolve',
  'openssh-client',
  'openssh-server',
  'openssl',
  'php-curl',
  'php-xml',
  'sudo',
  'ufw',
  'unzip',
  'wireguard',
  'wireguard-tools',
] as const

inWorld(
  'what Fleet installs on its Nodes is neither installed nor adopted, by the catalogues themselves [TOOL-050, TOOL-051, TOOL-052, TLX-041, TLX-049]',
  async (world) => {
    for (const name of [...PROTECTED, 'php-fpm', 'docker-ce', 'systemd-resolved', 'nftables']) {
      await assert.rejects(
        install(world, name),
        {
          code: 'tool.package_protected',
          status: 409,
          details: { manager: 'apt', package: name, step: 'install', outcome: 'manager_failed' },
        },
        name,
      )
      await assert.rejects(
        adopt(world, name),
        {
          code: 'tool.adoption_unsupported',
          details: { adoption_block: 'protected', step: 'adopt', outcome: 'manager_failed' },
        },
        name,
      )
    }
    assert.deepEqual(world.fleet.host.pool.commands, [])
  },
)

inWorld(
  'a Node that is not active, that nobody manages or whose platform lacks the manager is refused before any command [ACC-021, TOOL-011, TOOL-012, TOOL-014, TLX-047]',
  async (world) => {
    const { store } = world.fleet
    const on = async (given: Parameters<typeof addNode>[1], manager: 'apt' | 'brew-cask' = 'apt') => {
      const { id } = await addNode(store, { platform: 'linux', ...given })
      return world.handlers['tool:install']({
        call: fakeCall(),
        input: { node_id: id, manager, package: 'jq' },
      })
    }
    await assert.rejects(on({ status: 'failed' }), { code: 'tool.node_inactive', status: 409 })
    await assert.rejects(on({ ssh_host_fingerprint: null }), { code: 'tool.node_unmanaged', status: 409 })
    await assert.rejects(on({ wireguard_ip: null }), { code: 'tool.node_unmanaged' })
    await assert.rejects(on({ platform: null }), { code: 'tool.node_unmanaged' })
    await assert.rejects(on({ wireguard_ip: '127.44.0.11' }), { code: 'node.capability_missing' })
    await assert.rejects(on({}, 'brew-cask'), { code: 'tool.manager_unsupported', status: 422 })
    await assert.rejects(on({ platform: 'macos' }), { code: 'tool.manager_unsupported' })
    assert.deepEqual(world.fleet.host.pool.commands, [])
  },
)

inWorld('nobody waits for a Tool or its manager that is in use [GW-041, TLX-043, TLX-050]', async (world) => {
  const { store, node } = world.fleet
  world.set('jq', { candidate: '1.7.1-3' })
  for (const name of [`tool:${node.id}:apt:jq`, `node:${node.id}:tool-manager:apt`]) {
    await using _ = await store.locks.acquire({
      name,
      operation: 'tool:install',
      requestId: 'request-1',
      waitMilliseconds: 0,
      leaseSeconds: 600,
    })
    await assert.rejects(install(world, 'jq'), { code: 'tool.operation_locked', status: 409 })
  }
  assert.deepEqual(await world.rows(), [])
  const { data } = await install(world, 'jq')
  await using _ = await store.locks.acquire({
    name: `tool:${node.id}:apt:jq`,
    operation: 'tool:install',
    requestId: 'request-1',
    waitMilliseconds: 0,
    leaseSeconds: 600,
  })
  await assert.rejects(install(world, 'jq'), (error: unknown) => {
    assert.ok(error instanceof CodedError)
    assert.deepEqual([error.code, error.details?.['id']], ['tool.operation_locked', data.id])
    return true
  })
})

inWorld('no operation on Tools is an event [TLX-051]', async (world) => {
  world.set('jq', { candidate: '1.7.1-3' })
  const call = fakeCall()
  const { data } = await install(world, 'jq', null, call)
  world.set('jq', { candidate: '1.8.0-1', installed: '1.7.1-3' })
  await world.handlers['tool:update']({ call, input: { tool: data.id } })
  await world.handlers['tool:adopt']({ call, input: request(world, 'jq') })
  await world.handlers['tool:remove']({ call, input: { tool: data.id } })
  assert.deepEqual(call.events, [])
})

inWorld('an operation that was cut off says so to whoever asks for another [TLX-043]', async (world) => {
  world.set('jq', { candidate: '1.7.1-3' })
  const { data } = await install(world, 'jq')
  await world.fleet.store.db.updateTable('tools').set({ status: 'removing' }).execute()
  await assert.rejects(install(world, 'jq'), {
    code: 'tool.state_invalid',
    details: { status: 'removing', step: 'install', outcome: 'manager_failed', id: data.id },
  })
  await remove(world, data.id)
  assert.deepEqual(await world.rows(), [])
})

inWorld('an unknown Node is not found', async (world) => {
  const input = { ...request(world, 'jq'), node_id: 999 }
  for (const name of ['tool:install', 'tool:adopt'] as const)
    await assert.rejects(world.handlers[name]({ call: fakeCall(), input }), { code: 'node.not_found' })
})
