import assert from 'node:assert/strict'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { testDomains } from '@fleet/testing'
import { Died, makeMortal, momentsOf } from '@fleet/testing/death'
import { git } from '@fleet/testing/git-server'
import { startInstancesFleet } from '@fleet/testing/instances-fleet'
import { aPart, deadlyPrograms, upTo, walk } from './registration/world.test.ts'

/** A Node with a deployed `default`. */
async function deployed(env: Readonly<Record<string, string>> = {}) {
  const fleet = await startInstancesFleet({ env })
  const { data: main } = await fleet.create({ name: 'default' })
  const commit = fleet.git.commit('app', 'main', { 'deployed.txt': 'deployed' })
  const { handlers } = testDomains({ store: fleet.store, ssh: fleet.pool }).deployments
  const { data } = await handlers['instance:deploy']({ call: fleet.call(), input: { instance: main.id } })
  assert.equal(data.type === 'result' && data.status, 'succeeded')
  const branches = () =>
    git(main.checkout_path, ['for-each-ref', '--format=%(refname:short)', 'refs/heads']).split('\n')
  return { fleet, main, commit, branches, [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose]() }
}

test('a new Instance starts as a linked worktree at the commit of the deployed default, and leaves nothing of it [INS-055]', async () => {
  await using world = await deployed()
  const { fleet, main, commit, branches } = world
  // What came after the deployment is not what it starts with.
  fleet.git.commit('app', 'main', { 'later.txt': 'later' })
  writeFileSync(join(main.checkout_path, 'mine.txt'), 'mine')
  git(main.checkout_path, ['add', 'mine.txt'])
  const before = [
    git(main.checkout_path, ['status', '--porcelain']),
    git(main.checkout_path, ['rev-parse', 'HEAD']),
  ]
  const { data } = await fleet.create()
  assert.deepEqual(
    [data.source_layout, data.selected_branch, data.starting_commit, data.creation, data.seed_commit],
    ['worktree', 'feature', commit, 'repository', null],
  )
  assert.equal(readFileSync(join(data.checkout_path, 'deployed.txt'), 'utf8'), 'deployed')
  assert.equal(existsSync(join(data.checkout_path, 'later.txt')), false)
  assert.equal(git(data.checkout_path, ['status', '--porcelain']), '')
  assert.deepEqual(branches(), ['feature', 'main'])
  assert.deepEqual((await fleet.create()).data, data)
  assert.deepEqual(
    [git(main.checkout_path, ['status', '--porcelain']), git(main.checkout_path, ['rev-parse', 'HEAD'])],
    before,
  )
  await fleet.destroy(data.id)
  assert.deepEqual(branches(), ['main'])
  assert.deepEqual(readdirSync(join(fleet.apps, 'app')), ['default'])
  assert.equal(git(main.checkout_path, ['worktree', 'list']).split('\n').length, 1)
})

test('a branch of the origin is checked out, and follows it [INS-046, INS-055]', async () => {
  await using world = await deployed()
  const { fleet, branches } = world
  const tip = fleet.git.commit('app', 'topic', { 'topic.txt': 'topic' })
  const { data } = await fleet.create({ name: 'topic' })
  assert.deepEqual([data.source_layout, data.starting_commit], ['worktree', tip])
  assert.equal(git(data.checkout_path, ['rev-parse', '--abbrev-ref', 'topic@{upstream}']), 'origin/topic')
  git(data.checkout_path, ['commit', '-q', '--allow-empty', '-m', 'only here'])
  await fleet.destroy(data.id, true)
  // Nobody has its commit but the branch.
  assert.deepEqual(branches(), ['main', 'topic'])
  const { data: again } = await fleet.create({ name: 'topic' })
  assert.deepEqual([again.source_layout, again.starting_commit], ['checkout', tip])
  assert.notEqual(git(world.main.checkout_path, ['rev-parse', 'topic']), tip)
})

test('a local branch whose commits the origin has no longer keeps them in a new Instance [INS-055]', async () => {
  await using world = await deployed()
  const { fleet, main } = world
  const mine = fleet.git.commit('app', 'topic', { 'topic.txt': 'days of work' })
  git(main.checkout_path, ['fetch', '-q', fleet.git.pathOf('app'), 'topic:refs/remotes/origin/topic'])
  git(main.checkout_path, ['branch', '-q', 'topic', 'origin/topic'])
  // Somebody resets it there by force.
  git(fleet.git.pathOf('app'), ['update-ref', 'refs/heads/topic', 'refs/heads/main'])
  for (const _time of [1, 2]) {
    const { data } = await fleet.create({ name: 'topic' })
    assert.deepEqual([data.source_layout, data.starting_commit], ['worktree', mine])
  }
  assert.equal(git(main.checkout_path, ['rev-parse', 'topic']), mine)
})

test('without a deployed default on the Node, or where its branch is in use there, it is a clone of its own [INS-055]', async () => {
  await using world = await deployed()
  const { fleet, main } = world
  const { data: same } = await fleet.create({ name: 'same', branch: 'main' })
  assert.deepEqual([same.source_layout, same.selected_branch], ['checkout', 'main'])
  rmSync(join(main.checkout_path, '.git', 'orbit', 'preparation'))
  const { data: other } = await fleet.create({ name: 'other' })
  assert.equal(other.source_layout, 'checkout')
  await fleet.store.db.updateTable('instances').set({ seed_commit: null }).execute()
  assert.equal((await fleet.create({ name: 'third' })).data.source_layout, 'checkout')
  const rows = await fleet.store.db.selectFrom('instances').select('worktree_of').execute()
  assert.ok(rows.every((row) => row.worktree_of === null))
})

test('a process or a script that dies anywhere in a seeded creation leaves what the identical request finishes, and default as it was [INS-050, INS-055]', async () => {
  const tools = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-deadly-')))
  try {
    const programs = deadlyPrograms(tools)
    await using world = await deployed({ PATH: programs.path })
    const { fleet, main, commit, branches } = world
    writeFileSync(join(main.checkout_path, 'untracked.txt'), 'mine')
    const files = () => walk(main.checkout_path).filter((entry) => !entry.startsWith('.git'))
    const before = files()
    const createAt = async (domain: typeof fleet.domain, number = 0): Promise<unknown> => {
      programs.dieAt(number)
      const failure = await fleet.create({}, domain).then(
        () => undefined,
        (error: unknown) => error,
      )
      const started = programs.count()
      programs.dieAt(0)
      const { data } = await fleet.create()
      assert.deepEqual(
        [data.status, data.source_layout, data.starting_commit],
        ['active', 'worktree', commit],
      )
      assert.equal(git(data.checkout_path, ['status', '--porcelain']), '')
      assert.deepEqual(files(), before)
      await fleet.destroy(data.id)
      assert.deepEqual(
        [branches(), readdirSync(join(fleet.apps, 'app'))],
        [['main'], ['default']],
        `${number}`,
      )
      assert.equal(git(main.checkout_path, ['worktree', 'prune', '--dry-run', '--verbose']), '')
      git(main.checkout_path, ['fsck', '--no-dangling'])
      return failure ?? started
    }
    const whole = makeMortal(fleet.store, fleet.pool)
    const started = Number(await createAt(fleet.rebuild(whole)))
    assert.ok(started > 10, `${started}`)
    for (const moment of aPart(momentsOf(whole), 4))
      assert.ok((await createAt(fleet.rebuild(makeMortal(fleet.store, fleet.pool, moment)))) instanceof Died)
    for (const number of aPart(upTo(started), 5)) await createAt(fleet.domain, number)
  } finally {
    rmSync(tools, { recursive: true, force: true })
  }
})
