import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { Died, makeMortal, momentsOf } from '@fleet/testing/death'
import { git } from '@fleet/testing/git-server'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { aPart, callOf, cloned, deadlyPrograms, elsewhere, register, skip, upTo, walk } from './world.test.ts'

/** A linked worktree with work of every kind that only it has. */
function linked(source: string, path: string): string {
  git(source, ['worktree', 'add', '-q', '-b', `of-${basename(path)}`, path])
  git(path, ['commit', '-q', '--allow-empty', '-m', `only ${basename(path)}`])
  writeFileSync(join(path, '.env'), `SECRET=${path}\n`, { mode: 0o600 })
  writeFileSync(join(path, 'staged.txt'), 'staged\n')
  git(path, ['add', 'staged.txt'])
  writeFileSync(join(path, 'untracked é.txt'), path)
  return path
}

/** What is in a worktree, without the file by which Git finds it. */
const content = (path: string): readonly string[] => walk(path).filter((entry) => !entry.startsWith('.git '))

/** What Git says of a worktree. */
const stateOf = (path: string) => ({
  head: git(path, ['rev-parse', 'HEAD']),
  branch: git(path, ['symbolic-ref', 'HEAD']),
  status: git(path, ['status', '--porcelain']),
  content: content(path),
})

/** Paths that the repository knows as its worktrees, and that nothing of it is broken. */
function worktreesOf(path: string): readonly string[] {
  git(path, ['fsck', '--no-dangling'])
  assert.equal(git(path, ['worktree', 'prune', '--dry-run', '--verbose']), '')
  const listed = git(path, ['worktree', 'list', '--porcelain']).split('\n')
  assert.ok(!listed.includes('locked fleet'))
  return listed.filter((line) => line.startsWith('worktree ')).map((line) => line.slice('worktree '.length))
}

const nameOf = (moment: object): string =>
  JSON.stringify(moment)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '')

const rowsOf = ({ store }: InstancesFleet) =>
  store.db.selectFrom('instances').selectAll().orderBy('name').execute()

test('include_worktrees adopts the checkout and every linked worktree, also one inside of it [INS-004, INS-074, INS-078]', async () => {
  await using fleet = await startInstancesFleet()
  const folder = join(fleet.home, 'src')
  const source = cloned(fleet, folder)
  const before = [linked(source, join(folder, 'beside')), linked(source, join(source, 'inner'))].map(stateOf)
  const commits = git(source, ['rev-list', '--all', '--count'])
  const input = { source_path: source, include_worktrees: true }
  const { data, created } = await register(fleet, input)
  const place = (name: string) => join(fleet.apps, 'app', name)
  assert.deepEqual([created, data.source_count, data.completed_count, data.status], [true, 3, 3, 'completed'])
  assert.deepEqual(data.instances[0], data.app_instance)
  assert.deepEqual(
    data.instances.map(({ name, source_layout, checkout_path, selected_branch, creation }) => [
      name,
      source_layout,
      checkout_path,
      selected_branch,
      creation,
    ]),
    [
      ['default', 'checkout', place('default'), 'main', 'register'],
      ['inner', 'worktree', place('inner'), 'of-inner', 'register'],
      ['beside', 'worktree', place('beside'), 'of-beside', 'register'],
    ],
  )
  assert.deepEqual(['beside', 'inner'].map(place).map(stateOf), before)
  assert.deepEqual(worktreesOf(place('default')), ['default', 'beside', 'inner'].map(place))
  assert.deepEqual([existsSync(source), existsSync(join(folder, 'beside'))], [false, false])
  assert.equal(existsSync(join(place('default'), 'inner')), false)
  assert.match(git(place('default'), ['stash', 'list']), /stash@\{0\}/)
  git(place('inner'), ['commit', '-q', '-m', 'work goes on'])
  assert.equal(git(place('default'), ['rev-list', '--all', '--count']), `${Number(commits) + 1}`)
  const again = await register(fleet, input)
  assert.deepEqual(
    [again.created, again.data.instances.toSorted((one, other) => one.id - other.id)],
    [false, data.instances],
  )
})

test('what was adopted before a worktree fails is published at once, and the identical request publishes only the rest [EV-026]', async () => {
  await using fleet = await startInstancesFleet()
  const folder = join(fleet.home, 'src')
  const source = cloned(fleet, folder)
  linked(source, join(folder, 'beside'))
  const input = { source_path: source, include_worktrees: true }
  const published = async (adoption: (call: ReturnType<typeof callOf>) => Promise<unknown>) => {
    const call = callOf(fleet)
    await adoption(call)
    return call.published.map(({ type, data }) => [type, Object(data).name])
  }
  const register = (call: ReturnType<typeof callOf>) =>
    fleet.domain.handlers['instance:register']({ call, input })
  let adoptions = 0
  fleet.pool.failBefore((line) => line.includes('adopt source') && ++adoptions > 1)
  const begun = await published((call) => assert.rejects(register(call), { code: 'node.unreachable' }))
  assert.deepEqual(begun, [['instance.created', 'default']])
  fleet.pool.clearFaults()
  assert.deepEqual(await published(register), [['instance.created', 'beside']])
})

test('the linked worktrees of a checkout stay its own when a copy of it is adopted', async () => {
  await using fleet = await startInstancesFleet()
  const folder = join(fleet.home, 'src')
  const source = cloned(fleet, folder)
  const worktrees = [linked(source, join(folder, 'beside')), linked(source, join(source, 'inner'))]
  const before = worktrees.map(stateOf)
  const copy = join(folder, 'copy')
  cpSync(source, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  const { data } = await register(fleet, { source_path: copy })
  git(data.app_instance.checkout_path, ['fsck', '--no-dangling'])
  assert.deepEqual(worktreesOf(source).toSorted(), [source, ...worktrees].toSorted())
  assert.deepEqual(worktrees.map(stateOf), before)
  assert.deepEqual(worktrees.map(repositoryOf), [source, source])
  const { data: original } = await register(fleet, { source_path: source })
  const { checkout_path: main } = original.app_instance
  const inner = join(main, 'inner')
  assert.deepEqual([join(folder, 'beside'), inner].map(repositoryOf), [main, main])
  assert.deepEqual([join(folder, 'beside'), inner].map(stateOf), before)
})

test('linked worktrees whose names of each other are relative or lead through a link follow their repository', async () => {
  await using fleet = await startInstancesFleet()
  const folder = join(fleet.home, 'src')
  const source = cloned(fleet, folder)
  const [beside, other] = [linked(source, join(folder, 'beside')), linked(source, join(folder, 'other'))]
  symlinkSync(folder, join(fleet.home, 'link'))
  writeFileSync(join(beside, '.git'), 'gitdir: ../app/.git/worktrees/beside\n')
  writeFileSync(join(source, '.git/worktrees/beside/gitdir'), '../../../../beside/.git\n')
  writeFileSync(join(other, '.git'), `gitdir: ${join(fleet.home, 'link/app/.git/worktrees/other')}\n`)
  const { data } = await register(fleet, { source_path: source })
  const { checkout_path: main } = data.app_instance
  assert.deepEqual([beside, other].map(repositoryOf), [main, main])
})

const repositoryOf = (path: string): string =>
  git(path, ['rev-parse', '--path-format=absolute', '--git-common-dir']).replace(/\/\.git$/, '')

test('a worktree of a managed checkout is adopted by its own path, and one of a foreign checkout is not [INS-076, INS-078]', async () => {
  await using fleet = await startInstancesFleet()
  const folder = join(fleet.home, 'src')
  const source = cloned(fleet, folder)
  const worktree = linked(source, join(folder, 'beside'))
  const reserved = linked(source, join(folder, 'default'))
  const foreign = await refusalOf(register(fleet, { source_path: worktree }))
  assert.deepEqual([foreign.code, foreign.status], ['instance.source_layout_mismatch', 409])
  const named = await refusalOf(register(fleet, { source_path: worktree, include_worktrees: true }))
  assert.equal(named.code, 'instance.source_layout_mismatch')
  // Nothing moves when one of them cannot.
  const whole = await refusalOf(register(fleet, { source_path: source, include_worktrees: true }))
  assert.deepEqual([whole.code, whole.details['name']], ['instance.name_invalid', 'default'])
  assert.deepEqual([await rowsOf(fleet), existsSync(source)], [[], true])
  const { data: main } = await register(fleet, { source_path: source })
  const before = stateOf(worktree)
  const { data } = await register(fleet, { source_path: worktree, instance_name: 'other' })
  assert.deepEqual(
    [data.app_instance.name, data.app_instance.source_layout, data.source_count],
    ['other', 'worktree', 1],
  )
  assert.deepEqual(stateOf(data.app_instance.checkout_path), before)
  assert.deepEqual(worktreesOf(main.app_instance.checkout_path), [
    main.app_instance.checkout_path,
    data.app_instance.checkout_path,
    reserved,
  ])
  // Git of a submodule leads elsewhere, and a worktree with one would lose it.
  mkdirSync(join(main.app_instance.checkout_path, '.git', 'worktrees', 'default', 'modules'))
  await assert.rejects(register(fleet, { source_path: reserved, instance_name: 'third' }), {
    code: 'instance.source_layout_mismatch',
    message: /has submodules/,
  })
})

test('a process or a script that dies anywhere while worktrees are adopted leaves what the identical request finishes [INS-077, INS-078]', async () => {
  const tools = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-deadly-')))
  try {
    const programs = deadlyPrograms(tools)
    await using fleet = await startInstancesFleet({ env: { PATH: programs.path } })
    const whole = makeMortal(fleet.store, fleet.pool)
    let started = 0
    const adoptAt = async (
      folder: string,
      dying: ReturnType<typeof fleet.rebuild>,
      number = 0,
    ): Promise<boolean> => {
      const source = cloned(fleet, folder, `${basename(folder)}-main`)
      const worktree = linked(source, join(folder, `${basename(folder)}-tree`))
      const input = { source_path: source, include_worktrees: true }
      const before = [stateOf(source), stateOf(worktree)]
      programs.dieAt(number)
      const failed = await register(fleet, input, dying).then(
        () => false,
        (error: unknown) => {
          if (!(error instanceof Died))
            assert.equal(error instanceof CodedError && error.code, 'instance.source_failed')
          return true
        },
      )
      started = programs.count()
      programs.dieAt(0)
      const { data } = await register(fleet, input)
      const places = data.instances.map(({ checkout_path }) => checkout_path)
      assert.deepEqual(places.map(stateOf), before, folder)
      assert.deepEqual(worktreesOf(places[0] ?? ''), places, folder)
      assert.deepEqual([existsSync(source), existsSync(worktree)], [false, false], folder)
      assert.equal(data.app_instance.status, 'active')
      return failed
    }
    assert.equal(await adoptAt(join(fleet.home, 'counted'), fleet.rebuild(whole)), false)
    const counted = started
    assert.ok(counted > 40, `${counted}`)
    for (const moment of aPart(momentsOf(whole), 4)) {
      const dying = fleet.rebuild(makeMortal(fleet.store, fleet.pool, moment))
      assert.equal(await adoptAt(join(fleet.home, nameOf(moment)), dying), true, JSON.stringify(moment))
    }
    for (const number of aPart(upTo(counted), 6))
      await adoptAt(join(fleet.home, `n${number}`), fleet.domain, number)
  } finally {
    rmSync(tools, { recursive: true, force: true })
  }
})

test(
  'a worktree of another file system is copied with a folder of its own in the repository, and only then removed [INS-077, INS-078]',
  { skip },
  async () => {
    await using fleet = await startInstancesFleet()
    const folder = elsewhere()
    try {
      const { data } = await register(fleet, { source_path: cloned(fleet, join(fleet.home, 'src')) })
      const main = data.app_instance.checkout_path
      const life = makeMortal(fleet.store, fleet.pool)
      const adoptAt = async (name: string, dying: ReturnType<typeof fleet.rebuild>): Promise<void> => {
        const source = linked(main, join(folder, name))
        const before = stateOf(source)
        await register(fleet, { source_path: source }, dying).catch((error: unknown) => {
          assert.ok(error instanceof Died, String(error))
        })
        const again = await register(fleet, { source_path: source })
        const place = again.data.app_instance.checkout_path
        assert.deepEqual(stateOf(place), before, name)
        assert.deepEqual(readdirSync(folder), [], name)
        assert.ok(worktreesOf(main).includes(place), name)
        assert.equal(readdirSync(join(main, '.git', 'worktrees')).length, worktreesOf(main).length - 1, name)
      }
      await adoptAt('counted', fleet.rebuild(life))
      for (const moment of aPart(momentsOf(life), 3))
        await adoptAt(nameOf(moment), fleet.rebuild(makeMortal(fleet.store, fleet.pool, moment)))
      const source = linked(main, join(folder, 'late'))
      fleet.pool.failBefore((line) => line.includes('release source'))
      await assert.rejects(register(fleet, { source_path: source }), { code: 'node.unreachable' })
      fleet.pool.clearFaults()
      writeFileSync(join(source, 'later.txt'), 'later\n')
      await assert.rejects(register(fleet, { source_path: source }), { code: 'instance.source_changed' })
      assert.ok(existsSync(join(source, 'later.txt')))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
