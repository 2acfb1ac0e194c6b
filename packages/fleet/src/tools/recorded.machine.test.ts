import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { fakeCall } from '@fleet/testing'
import { apt } from '#/tools/managers/apt.ts'
import { adopt, type AptWorld, install, remove, startAptWorld, update } from '#/tools/world.test.ts'

const inWorld = (name: string, work: (world: AptWorld) => Promise<void>): void =>
  void test(name, async () => {
    await using world = await startAptWorld()
    await work(world)
  })

const installed = async (world: AptWorld, constraint?: string): Promise<number> => {
  world.set('jq', { candidate: '1.7.1-3' })
  return (await install(world, 'jq', constraint)).data.id
}

inWorld(
  'an update installs what is offered, and then finds nothing to do [TOOL-031, TLX-005]',
  async (world) => {
    const id = await installed(world)
    world.set('jq', { candidate: '1.8.0-1', installed: '1.7.1-3' })
    const { data } = await update(world, id)
    assert.deepEqual([data.status, data.outcome, data.installed_version], ['installed', 'applied', '1.8.0-1'])
    const again = await update(world, id)
    assert.deepEqual([again.data.outcome, world.ran().length], ['unchanged', 2])
  },
)

inWorld(
  'an update outside the constraint is an answer, and the Tool stays [TOOL-032, TLX-033]',
  async (world) => {
    const id = await installed(world, '^1.7')
    world.set('jq', { candidate: '2.0.0-1', installed: '1.7.1-3' })
    const { data } = await update(world, id)
    assert.deepEqual(
      [data.status, data.outcome, data.installed_version, data.error_code],
      ['installed', 'blocked_by_constraint', '1.7.1-3', null],
    )
    assert.equal(world.ran().length, 1)
  },
)

inWorld(
  'a failed update keeps the version, and the repeat finishes it [TOOL-004, TOOL-020]',
  async (world) => {
    const id = await installed(world)
    world.set('jq', { candidate: '1.8.0-1', installed: '1.7.1-3' })
    world.fail('a script failed')
    await assert.rejects(update(world, id), { code: 'tool.update_failed', status: 502 })
    const row = await world.row(id)
    assert.deepEqual(
      [row?.status, row?.failed_operation, row?.error_code, row?.installed_version],
      ['failed', 'update', 'tool.update_failed', '1.7.1-3'],
    )
    world.works()
    assert.equal((await update(world, id)).data.installed_version, '1.8.0-1')
  },
)

inWorld('a package that vanished is installed again by its update', async (world) => {
  const id = await installed(world)
  world.set('jq', { candidate: '1.7.1-3' })
  const { data } = await update(world, id)
  assert.deepEqual([data.outcome, world.installed('jq')?.trim()], ['applied', '1.7.1-3'])
})

inWorld(
  'the update of a package that vanished answers as any other: outside the constraint, and where apt fails [TOOL-020, TOOL-032]',
  async (world) => {
    const id = await installed(world, '^1.7')
    const row = async () => {
      const { status, outcome, error_code, installed_version } = (await world.row(id)) ?? assert.fail()
      return [status, outcome, error_code, installed_version]
    }
    world.set('jq', { candidate: '2.0.0-1' })
    const { data } = await update(world, id)
    assert.deepEqual([data.status, data.outcome], ['installed', 'blocked_by_constraint'])
    assert.deepEqual(await row(), ['installed', 'blocked_by_constraint', null, '1.7.1-3'])
    assert.equal(world.installed('jq'), undefined)
    world.set('jq', { candidate: '1.7.2-1' })
    world.fail('a script failed')
    await assert.rejects(update(world, id), { code: 'tool.update_failed', status: 502 })
    assert.deepEqual(await row(), ['failed', 'manager_failed', 'tool.update_failed', '1.7.1-3'])
    world.works()
    assert.equal((await update(world, id)).data.installed_version, '1.7.2-1')
  },
)

inWorld('what was never installed is not updated', async (world) => {
  world.set('jq', { candidate: '1.7.1-3' })
  await assert.rejects(install(world, 'jq', '^2'))
  const id = (await world.rows())[0]?.id ?? 0
  await assert.rejects(update(world, id), { code: 'tool.state_invalid' })
})

inWorld(
  'a removal is planned, removes the package alone and then its record [TOOL-002, TOOL-003, TOOL-034, TOOL-036, TLX-006, TLX-022]',
  async (world) => {
    const id = await installed(world)
    const { data } = await remove(world, id)
    assert.deepEqual([data.id, data.status, data.outcome], [id, 'removed', 'applied'])
    assert.deepEqual(await world.rows(), [])
    assert.deepEqual(world.ran().slice(1), [
      '-o DPkg::Lock::Timeout=300 --simulate --no-auto-remove remove -- jq',
      '-o DPkg::Lock::Timeout=300 --simulate --no-auto-remove remove -- jq',
      '-q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=2 -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold --no-auto-remove remove -- jq',
    ])
    await assert.rejects(remove(world, id), { code: 'tool.not_found', status: 404 })
  },
)

inWorld(
  'a plan that would remove anything else is refused, and the Tool stays as it is [TOOL-035, TLX-046]',
  async (world) => {
    const id = await installed(world)
    world.set('jq', { candidate: '1.7.1-3', installed: '1.7.1-3', neededBy: 'openssh-server' })
    await assert.rejects(remove(world, id), {
      code: 'tool.removal_plan_unsafe',
      status: 409,
      details: { would_remove: ['openssh-server'], step: 'remove', outcome: 'manager_failed', id },
    })
    assert.deepEqual([(await world.row(id))?.status, world.installed('jq')], ['installed', '1.7.1-3'])
  },
)

inWorld(
  'a plan that would install something in its place names it, and nothing is removed',
  async (world) => {
    const id = await installed(world)
    const planned = { candidate: '1.7.1-3', installed: '1.7.1-3', replacedBy: 'gojq' } as const
    world.set('jq', planned)
    await assert.rejects(remove(world, id), {
      code: 'tool.removal_plan_unsafe',
      message: 'Removing this package would also install 1 other package, so nothing was removed.',
      details: { would_remove: [], would_install: ['gojq'], step: 'remove', outcome: 'manager_failed', id },
    })
    world.set('jq', { ...planned, neededBy: 'vim' })
    await assert.rejects(remove(world, id), {
      message:
        'Removing this package would also remove 1 other package and install 1 other package, so nothing was removed.',
    })
    assert.deepEqual([(await world.row(id))?.status, world.installed('jq')], ['installed', '1.7.1-3'])
  },
)

const NEEDED = 'E: Error, pkgProblemResolver::Resolve generated breaks, this may be caused by held packages.'

inWorld(
  'what Debian or other packages cannot do without is refused when it is planned, and the Tool stays as it is [TOOL-035]',
  async (world) => {
    const id = await installed(world)
    for (const [given, reason] of [
      [{ isEssential: true }, 'package_essential'],
      [{ unplanned: NEEDED }, 'package_needed'],
    ] as const) {
      world.set('jq', { candidate: '1.7.1-3', installed: '1.7.1-3', ...given })
      const refused = { code: 'tool.removal_plan_unsafe', status: 409 }
      await assert.rejects(remove(world, id), (error: unknown) => {
        assert.ok(error instanceof CodedError)
        assert.deepEqual([error.code, error.details?.['reason']], [refused.code, reason])
        return true
      })
      await assert.rejects(apt.remove(world.fleet.session, 'jq'), refused)
      assert.deepEqual([(await world.row(id))?.status, world.installed('jq')], ['installed', '1.7.1-3'])
    }
    assert.deepEqual(
      world.ran().filter((line) => line.includes(' remove ') && !line.includes('--simulate')),
      [],
    )
  },
)

inWorld('a Node whose packages are broken is no Node that needs the package', async (world) => {
  const id = await installed(world)
  for (const [unplanned, reason] of [
    [
      "E: Unmet dependencies. Try 'apt --fix-broken install' with no packages (or specify a solution).",
      'packages_broken',
    ],
    ['E: The list of sources could not be read.', 'unplanned'],
  ] as const) {
    world.set('jq', { candidate: '1.7.1-3', installed: '1.7.1-3', unplanned })
    for (const attempt of [() => remove(world, id), () => apt.remove(world.fleet.session, 'jq')])
      await assert.rejects(attempt, (error: unknown) => {
        assert.ok(error instanceof CodedError)
        assert.deepEqual([error.code, error.details?.['reason']], ['tool.remove_failed', reason])
        return true
      })
  }
  world.set('jq', { candidate: '1.7.1-3', installed: '1.7.1-3' })
  assert.equal((await remove(world, id)).data.status, 'removed')
})

inWorld('lists that cannot be read are not taken for ones without the package', async (world) => {
  world.set('jq', { candidate: '1.7.1-3' })
  for (const [said, reason] of [
    ['E: Could not create temporary file - mkstemp (28: No space left on device)', 'storage_full'],
    ['E: The package lists or status file could not be parsed or opened.', 'unreadable'],
  ]) {
    world.fleet.host.install('apt-cache', `echo '${said}' >&2; exit 100`)
    await assert.rejects(install(world, 'jq'), (error: unknown) => {
      assert.ok(error instanceof CodedError)
      assert.deepEqual([error.code, error.details?.['reason']], ['tool.version_probe_failed', reason])
      return true
    })
  }
  assert.deepEqual(await world.rows(), [])
})

inWorld('a package that is already gone counts as removed [TOOL-034]', async (world) => {
  const id = await installed(world)
  world.set('jq', { candidate: '1.7.1-3' })
  assert.equal((await remove(world, id)).data.outcome, 'applied')
  assert.equal(world.ran().length, 1)
})

inWorld(
  'right before a removal its plan is looked at once more, and nothing is removed with the package [TOOL-035, TLX-022]',
  async (world) => {
    world.set('jq', { installed: '1.7.1-3', neededBy: 'vim' })
    await assert.rejects(apt.remove(world.fleet.session, 'jq'), { code: 'tool.removal_plan_unsafe' })
    assert.deepEqual(
      [world.installed('jq'), world.ran().filter((line) => !line.includes('--simulate'))],
      ['1.7.1-3', []],
    )
    world.set('jq', { installed: '1.7.1-3' })
    await apt.remove(world.fleet.session, 'jq')
    assert.equal(world.installed('jq'), undefined)
  },
)

inWorld(
  'what a power cut left half configured is finished before anything is installed, updated or removed',
  async (world) => {
    world.set('jq', { candidate: '1.7.1-3' })
    const { session } = world.fleet
    for (const work of [apt.install, apt.update, apt.remove] as const) {
      const before = world.ran().length
      world.interrupt()
      await work(session, 'jq')
      assert.equal(world.ran()[before], 'dpkg --configure -a --force-confdef --force-confold')
      assert.match(world.ran()[before + 1] ?? '', /(?:install|remove) -- jq$/)
    }
    const before = world.ran().length
    await apt.install(session, 'jq')
    assert.equal(world.ran().length, before + 1)
  },
)

inWorld('a failed removal keeps record and version [TOOL-004, TOOL-021]', async (world) => {
  const id = await installed(world)
  world.fail('a script failed')
  await assert.rejects(remove(world, id), { code: 'tool.remove_failed', status: 502 })
  const row = await world.row(id)
  assert.deepEqual(
    [row?.status, row?.failed_operation, row?.installed_version],
    ['failed', 'remove', '1.7.1-3'],
  )
  world.works()
  assert.equal((await remove(world, id)).data.status, 'removed')
})

inWorld('a recorded package that Fleet needs by now is not removed [TOOL-053]', async (world) => {
  const id = await installed(world)
  await world.fleet.store.db.updateTable('tools').set({ package: 'sudo' }).execute()
  await assert.rejects(remove(world, id), { code: 'tool.package_protected' })
  await assert.rejects(update(world, id), { code: 'tool.package_protected' })
  assert.equal((await world.rows()).length, 1)
})

inWorld(
  'a Node that cannot say what is installed fails a removal, but not that of what never was [TLX-034]',
  async (world) => {
    const id = await installed(world)
    world.fleet.host.install('dpkg-query', 'echo "installed not/a/version"')
    await assert.rejects(remove(world, id), { code: 'tool.version_probe_failed', status: 502 })
    assert.deepEqual((await world.row(id))?.error_code, 'tool.version_probe_failed')
    await world.fleet.store.db.updateTable('tools').set({ installed_version: null }).execute()
    assert.equal((await remove(world, id)).data.status, 'removed')
    assert.deepEqual(await world.rows(), [])
  },
)

inWorld(
  'an adoption records what is there and changes nothing [GW-021, TOOL-008, TOOL-009, TOOL-037, TLX-008, TLX-035]',
  async (world) => {
    world.set('jq', { candidate: '1.8.0-1', installed: '1.7.1-3' })
    const first = await adopt(world, 'jq', '^1.7')
    assert.equal(first.created, true)
    assert.deepEqual(await adopt(world, 'jq', '^1.7'), {
      data: { ...first.data, outcome: 'unchanged' },
      created: false,
    })
    assert.deepEqual(
      [
        first.data.status,
        first.data.installed_version,
        first.data.outcome,
        first.data.failed_operation,
        first.data.error_code,
      ],
      ['installed', '1.7.1-3', 'applied', null, null],
    )
    world.set('jq', { candidate: '1.8.0-1', installed: '1.8.0-1' })
    assert.deepEqual(await adopt(world, 'jq', '^1.7'), {
      data: { ...first.data, outcome: 'unchanged' },
      created: false,
    })
    await world.fleet.store.db.updateTable('tools').set({ status: 'failed', error_code: 'x' }).execute()
    const repaired = await adopt(world, 'jq', '^1.7')
    assert.deepEqual(
      [repaired.created, repaired.data.outcome, repaired.data.status, repaired.data.installed_version],
      [false, 'applied', 'installed', '1.8.0-1'],
    )
    assert.deepEqual(world.ran(), [])
  },
)

inWorld(
  'an adoption is refused by what is there [TOOL-038, TOOL-039, TOOL-040, TOOL-041, TLX-043, TLX-044]',
  async (world) => {
    await assert.rejects(adopt(world, 'jq'), { code: 'tool.package_absent', status: 409 })
    world.set('jq', { installed: '1.7.1-3' })
    await assert.rejects(adopt(world, 'jq', '^99'), {
      code: 'tool.installed_version_constraint_violated',
      status: 409,
    })
    world.set('vim', { installed: '2:9.1.0-1' })
    await assert.rejects(adopt(world, 'vim', '>=1'), {
      code: 'tool.installed_version_unparseable',
      status: 409,
    })
    const { data } = await adopt(world, 'jq')
    await assert.rejects(adopt(world, 'jq', '^1'), { code: 'tool.constraint_conflict', status: 409 })
    for (const status of ['installing', 'updating', 'removing'] as const) {
      await world.fleet.store.db.updateTable('tools').set({ status }).execute()
      await assert.rejects(adopt(world, 'jq'), {
        code: 'tool.state_invalid',
        status: 409,
        details: { status, step: 'adopt', outcome: 'manager_failed', id: data.id },
      })
    }
  },
)

inWorld('a probe that fails refuses an adoption, since nothing was changed [TLX-045]', async (world) => {
  world.set('jq', { installed: '1.7.1-3' })
  await adopt(world, 'jq')
  world.fleet.host.install('dpkg-query', 'echo "installed not/a/version"')
  await assert.rejects(adopt(world, 'jq'), {
    code: 'tool.version_probe_failed',
    status: 409,
    name: 'Refusal',
  })
})

inWorld('lists and shows [TLX-001, TLX-002, TLX-004, TLX-011, TLX-012]', async (world) => {
  const { node } = world.fleet
  world.set('zsh', { candidate: '5.9-4' })
  await install(world, 'zsh')
  const id = await installed(world)
  const call = fakeCall()
  const list = await world.handlers['tool:list']({ call, input: { node_id: node.id } })
  assert.deepEqual(
    list.data.map(({ package: name }) => name),
    ['jq', 'zsh'],
  )
  const { data } = await world.handlers['tool:show']({ call, input: { tool: id } })
  assert.deepEqual(data, list.data[0])
  const managers = await world.handlers['tool:manager:list']({ call, input: { node_id: node.id } })
  const row = { node_id: node.id, failed_step: null, error_code: null }
  const none = { ...row, id: null, status: 'uninstalled', installed_version: null }
  assert.deepEqual(
    managers.data.slice(1),
    ['composer', 'vp', 'brew'].map((name) => ({ ...none, name })),
  )
  assert.deepEqual([managers.data[0]?.name, managers.data[0]?.status], ['apt', 'active'])
})
