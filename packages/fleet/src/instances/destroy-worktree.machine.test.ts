import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { addStep } from '@fleet/testing'
import { Died, makeMortal, momentsOf } from '@fleet/testing/death'
import { git } from '@fleet/testing/git-server'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { aPart, cloned, deadlyPrograms, register, upTo, walk } from './registration/world.test.ts'

/** A managed checkout with linked worktrees of these names, all without work that the origin lacks. */
async function managed(fleet: InstancesFleet, names: readonly string[]) {
  const folder = join(fleet.home, 'src')
  const source = cloned(fleet, folder)
  git(source, ['reset', '-q', '--hard', 'origin/main'])
  git(source, ['branch', '-q', '-D', 'kept'])
  for (const name of names)
    git(source, ['worktree', 'add', '-q', '--detach', join(folder, name), 'origin/main'])
  const { data } = await register(fleet, { source_path: source, include_worktrees: true })
  return data.instances.map(({ id, checkout_path: path, name }) => ({ id, path, name }))
}

const namesIn = async ({ store }: InstancesFleet): Promise<readonly string[]> =>
  (await store.db.selectFrom('instances').select('name').orderBy('name').execute()).map(({ name }) => name)

/** Git keeps the empty folder of references that are gone. */
const isKept = (entry: string): boolean => !/^\.git(?:\/refs\/fleet)? 40755$/.test(entry)

const listed = (path: string): readonly string[] =>
  git(path, ['worktree', 'list', '--porcelain'])
    .split('\n')
    .flatMap((line) => (line.startsWith('worktree ') ? [line.slice('worktree '.length)] : []))

test('the removal of a worktree leaves its checkout and the other worktrees whole [INS-111]', async () => {
  await using fleet = await startInstancesFleet()
  const [main, one, other] = await managed(fleet, ['one', 'other'])
  assert.ok(main && one && other)
  const refused = await refusalOf(fleet.destroy(main.id))
  assert.deepEqual(
    [refused.code, refused.details['reasons']],
    ['instance.remove_refused', ['uncommitted_work', 'linked_worktrees']],
  )
  assert.deepEqual(
    [refused.details['path'], refused.details['worktrees']],
    [main.path, [one.path, other.path]],
  )
  const others = [one, other].map(({ id, name }) => ({ id, name }))
  assert.deepEqual(refused.details['instances'], others)
  // The stash and the branches are of the checkout, so they are no work of the worktree.
  git(main.path, ['branch', 'mine'])
  git(one.path, ['checkout', '-q', '--detach', 'mine'])
  writeFileSync(join(one.path, 'note.txt'), 'n')
  assert.deepEqual((await refusalOf(fleet.destroy(one.id))).details['reasons'], ['uncommitted_work'])
  rmSync(join(one.path, 'note.txt'))
  git(one.path, ['commit', '-q', '--allow-empty', '-m', 'only here'])
  assert.deepEqual((await refusalOf(fleet.destroy(one.id))).details['reasons'], ['unpushed_commits'])
  git(one.path, ['update-ref', 'refs/worktree/saved', 'HEAD'])
  git(one.path, ['checkout', '-q', '--detach', 'mine'])
  assert.deepEqual((await refusalOf(fleet.destroy(one.id))).details['reasons'], ['unpushed_commits'])
  git(one.path, ['update-ref', '-d', 'refs/worktree/saved'])
  const before = walk(main.path).filter(isKept)
  const otherBefore = walk(other.path)
  assert.equal((await fleet.destroy(one.id)).status, 'completed')
  assert.deepEqual([existsSync(one.path), await namesIn(fleet)], [false, ['default', 'other']])
  assert.deepEqual(listed(main.path), [main.path, other.path])
  assert.equal(git(main.path, ['worktree', 'prune', '--dry-run', '--verbose']), '')
  assert.deepEqual(walk(main.path).filter(isKept), before)
  assert.deepEqual(walk(other.path), otherBefore)
})

test('a forced removal of a checkout removes its worktree Instances first, in the order of their paths [INS-119]', async () => {
  await using fleet = await startInstancesFleet()
  const all = await managed(fleet, ['b', 'c', 'a'])
  const ids = new Map(all.map(({ id, name }) => [name, id]))
  const [main, , middle] = all
  assert.ok(main && middle)
  git(middle.path, ['commit', '-q', '--allow-empty', '-m', 'given up'])
  const call = fleet.call()
  const input = { instance: main.id, force: true }
  const removed = await fleet.domain.handlers['instance:destroy']({ call, input })
  const others = ['a', 'b', 'c'].map((name) => ({ id: ids.get(name), name }))
  assert.deepEqual(removed.data.removed_instances, others)
  assert.deepEqual(
    call.events.flatMap(({ type, data }) => (type === 'instance.deleted' ? [data] : [])),
    ['a', 'b', 'c', 'default'].map((name) => ({ id: ids.get(name), name })),
  )
  assert.deepEqual([await namesIn(fleet), fleet.residue()], [[], []])
})

test('a forced removal of a checkout that is refused for another branch removes none of its worktree Instances', async () => {
  await using fleet = await startInstancesFleet()
  const [main, one] = await managed(fleet, ['one'])
  assert.ok(main && one)
  writeFileSync(join(one.path, 'note.txt'), 'only here')
  git(main.path, ['checkout', '-q', '-b', 'hotfix'])
  const { code } = await refusalOf(fleet.destroy(main.id, true))
  assert.equal(code, 'instance.source_branch_mismatch')
  assert.deepEqual([existsSync(join(one.path, 'note.txt')), await namesIn(fleet)], [true, ['default', 'one']])
  git(main.path, ['checkout', '-q', 'main'])
  await fleet.destroy(main.id, true)
  assert.deepEqual([existsSync(one.path), await namesIn(fleet)], [false, []])
})

test('a teardown that fails in a forced removal of a checkout keeps it and all of its worktree Instances [INS-117]', async () => {
  await using fleet = await startInstancesFleet()
  const [main, one, two] = await managed(fleet, ['one', 'two'])
  assert.ok(main && one && two)
  writeFileSync(join(one.path, 'note.txt'), 'only here')
  const ran = join(fleet.home, 'ran')
  const fails = join(fleet.home, 'fails')
  const command = `pwd >> ${ran}; [ "$(pwd -P)" != "$(cat ${fails})" ]`
  await addStep(fleet.store, { project_id: fleet.project.id, position: 1, list: 'teardown', command })
  for (const failing of [main, two]) {
    writeFileSync(fails, failing.path)
    assert.equal((await refusalOf(fleet.destroy(main.id, true))).code, 'instance.teardown_step_failed')
    assert.deepEqual(await namesIn(fleet), ['default', 'one', 'two'], failing.name)
    assert.ok(existsSync(join(one.path, 'note.txt')), failing.name)
  }
  // Each runs once more, and the checkout's own is the last.
  rmSync(ran)
  writeFileSync(fails, '')
  await fleet.destroy(main.id, true)
  assert.equal(readFileSync(ran, 'utf8'), `${one.path}\n${two.path}\n${main.path}\n`)
  assert.deepEqual([await namesIn(fleet), fleet.residue()], [[], []])
})

test('a worktree on another branch says which one it is on, and that it cannot be recorded with it [INS-122]', async () => {
  await using fleet = await startInstancesFleet()
  const [main, one] = await managed(fleet, ['one'])
  assert.ok(main && one)
  git(one.path, ['checkout', '-q', '-b', 'hotfix'])
  const { message, details } = await refusalOf(fleet.destroy(one.id))
  assert.match(
    message,
    new RegExp(`^The checkout ${one.path} on the Node \\S+ is on \`hotfix\`, and no branch is`),
  )
  assert.deepEqual([details['path'], details['head']], [one.path, 'refs/heads/hotfix'])
  await fleet.store.db
    .updateTable('instances')
    .set({ selected_branch: 'main', detached: 0 })
    .where('id', '=', one.id)
    .execute()
  const refused = await refusalOf(fleet.destroy(one.id))
  assert.match(refused.message, /is on `hotfix`, and the branch `main` is recorded/)
  assert.equal(refused.details['reason'], 'recorded_branch')
  git(main.path, ['checkout', '-q', '-b', 'side'])
  assert.equal((await refusalOf(fleet.destroy(main.id))).details['reason'], undefined)
})

test('a worktree Instance that cannot be removed is found before any other one goes [INS-119]', async () => {
  await using fleet = await startInstancesFleet()
  const [main, one, two] = await managed(fleet, ['one', 'two'])
  assert.ok(main && one && two)
  writeFileSync(join(one.path, 'note.txt'), 'only here')
  git(two.path, ['checkout', '-q', '-b', 'hotfix'])
  assert.equal((await refusalOf(fleet.destroy(main.id, true))).code, 'instance.source_branch_mismatch')
  assert.deepEqual(
    [await namesIn(fleet), existsSync(join(one.path, 'note.txt'))],
    [['default', 'one', 'two'], true],
  )
})

test('a worktree that became an Instance while its checkout was torn down keeps the checkout', async () => {
  await using fleet = await startInstancesFleet()
  const [main, one] = await managed(fleet, ['one'])
  assert.ok(main && one)
  const late = join(fleet.home, 'src', 'late')
  git(main.path, ['worktree', 'add', '-q', '--detach', late, 'origin/main'])
  const [begun, go] = [join(fleet.home, 'begun'), join(fleet.home, 'go')]
  execFileSync('mkfifo', [begun, go])
  const command = `[ "$(pwd -P)" != ${main.path} ] || { echo >${begun}; cat ${go}; }`
  const step = { project_id: fleet.project.id, position: 1, list: 'teardown', command } as const
  await addStep(fleet.store, { ...step, timeout_seconds: 240 })
  const removal = refusalOf(fleet.destroy(main.id, true))
  await readFile(begun)
  await register(fleet, { source_path: late })
  await writeFile(go, '')
  assert.equal((await removal).code, 'instance.source_worktrees_mismatch')
  assert.deepEqual(await namesIn(fleet), ['default', 'late'])
  assert.equal(git(join(fleet.apps, 'app', 'late'), ['status', '--porcelain']), '')
})

test('a worktree Instance that was removed is published although a later one cannot be removed [EV-029]', async () => {
  await using fleet = await startInstancesFleet()
  const [main, one, two] = await managed(fleet, ['one', 'two'])
  assert.ok(main && one && two)
  const [first, second] = [one, two].toSorted((a, b) => (a.path < b.path ? -1 : 1))
  assert.ok(first && second)
  // After everything was looked at.
  const command = `[ "$(pwd -P)" != ${main.path} ] || mv ${second.path}/.git ${second.path}/git`
  await addStep(fleet.store, { project_id: fleet.project.id, position: 1, list: 'teardown', command })
  const call = fleet.call()
  const input = { instance: main.id, force: true }
  const removal = fleet.domain.handlers['instance:destroy']({ call, input })
  await assert.rejects(removal, { code: 'instance.source_path_mismatch' })
  assert.deepEqual(call.published, [{ type: 'instance.deleted', data: { id: first.id, name: first.name } }])
})

test('an Instance that goes with what was placed on it is published although the next one may fail [EV-029]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const call = fleet.call()
  await fleet.domain.instances.remove(call, data.id)
  assert.deepEqual(call.published, [{ type: 'instance.deleted', data: { id: data.id, name: data.name } }])
})

test('a checkout stays while one of its worktree Instances cannot be removed [INS-119]', async () => {
  await using fleet = await startInstancesFleet()
  const [main, one] = await managed(fleet, ['one', 'two'])
  assert.ok(main && one)
  renameSync(join(one.path, '.git'), join(one.path, 'git'))
  const { code } = await refusalOf(fleet.destroy(main.id, true))
  assert.equal(code, 'instance.source_path_mismatch')
  assert.deepEqual([await namesIn(fleet), existsSync(main.path)], [['default', 'one', 'two'], true])
  renameSync(join(one.path, 'git'), join(one.path, '.git'))
  await fleet.destroy(main.id, true)
  assert.deepEqual([await namesIn(fleet), fleet.residue()], [[], []])
})

test('a worktree that became a checkout, or that of another one, is not what is recorded [INS-122]', async () => {
  await using fleet = await startInstancesFleet()
  const [main, one, other] = await managed(fleet, ['one', 'other'])
  assert.ok(main && one && other)
  renameSync(join(one.path, '.git'), join(fleet.home, 'one.git'))
  git(one.path, ['init', '-q'])
  assert.equal((await refusalOf(fleet.destroy(one.id, true))).code, 'instance.source_layout_mismatch')
  rmSync(join(one.path, '.git'), { recursive: true })
  // The file of the other one: nothing of either may be deleted.
  writeFileSync(join(one.path, '.git'), `gitdir: ${main.path}/.git/worktrees/other\n`)
  assert.equal((await refusalOf(fleet.destroy(one.id, true))).code, 'instance.source_ownership_mismatch')
  assert.deepEqual(readdirSync(join(main.path, '.git', 'worktrees')), ['one', 'other'])
  assert.equal(git(other.path, ['status', '--porcelain']), '')
})

test('a process or a script that dies anywhere in the removal of a worktree leaves what the identical request finishes [INS-113, INS-116]', async () => {
  const tools = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-deadly-')))
  try {
    const programs = deadlyPrograms(tools)
    await using fleet = await startInstancesFleet({ env: { PATH: programs.path } })
    const [main, other] = await managed(fleet, ['other'])
    assert.ok(main && other)
    const before = walk(main.path).filter(isKept)
    let count = 0
    const removeOne = async (domain: typeof fleet.domain, number = 0): Promise<unknown> => {
      count += 1
      const path = join(fleet.home, 'src', `t${count}`)
      git(main.path, ['worktree', 'add', '-q', '--detach', path, 'origin/main'])
      const { data } = await register(fleet, { source_path: path })
      const { id } = data.app_instance
      programs.dieAt(number)
      const failure = await fleet.destroy(id, false, domain).then(
        () => undefined,
        (error: unknown) => error,
      )
      const started = programs.count()
      programs.dieAt(0)
      if (failure !== undefined) assert.equal((await fleet.destroy(id)).status, 'completed')
      assert.deepEqual(listed(main.path), [main.path, other.path])
      assert.equal(git(main.path, ['worktree', 'prune', '--dry-run', '--verbose']), '')
      assert.deepEqual(readdirSync(join(main.path, '.git', 'worktrees')), ['other'])
      assert.deepEqual(readdirSync(join(fleet.apps, 'app')), ['default', 'other'])
      assert.deepEqual(walk(main.path).filter(isKept), before)
      return failure ?? started
    }
    const whole = makeMortal(fleet.store, fleet.pool)
    const started = Number(await removeOne(fleet.rebuild(whole)))
    assert.ok(started > 8, `${started}`)
    for (const moment of aPart(momentsOf(whole), 4))
      assert.ok(
        (await removeOne(fleet.rebuild(makeMortal(fleet.store, fleet.pool, moment)))) instanceof Died,
        JSON.stringify(moment),
      )
    for (const number of aPart(upTo(started), 6)) await removeOne(fleet.domain, number)
  } finally {
    rmSync(tools, { recursive: true, force: true })
  }
})
