import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { addStep } from '@fleet/testing'
import { git } from '@fleet/testing/git-server'
import {
  type InstancesFleet,
  makeFolder,
  refusalOf,
  startInstancesFleet,
} from '@fleet/testing/instances-fleet'

const rowsOf = (fleet: InstancesFleet) => fleet.store.db.selectFrom('instances').selectAll().execute()

test('a removal answers its completed progress and leaves nothing on the Node or in the store [INS-028, INS-112, INS-113, INS-115]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const progress = await fleet.destroy(data.id)
  assert.match(progress.operation_id, /^[0-9a-f-]{36}$/)
  assert.deepEqual(
    { ...progress, operation_id: '' },
    {
      operation_id: '',
      id: data.id,
      name: 'feature',
      force: false,
      status: 'completed',
      current_step: null,
      total: 5,
      completed: 5,
      remaining: 0,
      failed_step: null,
      error_code: null,
      retained_on_nodes: [],
      removed_instances: [],
      removed_databases: [],
    },
  )
  assert.deepEqual(fleet.residue(), [])
  assert.deepEqual(await rowsOf(fleet), [])
  assert.equal((await refusalOf(fleet.destroy(data.id))).code, 'instance.not_found')
})

const work: Readonly<Record<string, (checkout: string) => void>> = {
  uncommitted_work: (checkout) => writeFileSync(join(checkout, 'README.md'), 'changed'),
  stashes: (checkout) => {
    writeFileSync(join(checkout, 'README.md'), 'changed')
    git(checkout, ['stash'])
  },
  unpushed_commits: (checkout) => git(checkout, ['commit', '--allow-empty', '-m', 'Mine']),
  linked_worktrees: (checkout) => git(checkout, ['worktree', 'add', '-q', '--detach', `${checkout}-linked`]),
}

for (const [reason, make] of Object.entries(work)) {
  test(`a source with ${reason} refuses a normal removal, keeps its work, and gives it up by force [INS-111]`, async () => {
    await using fleet = await startInstancesFleet()
    const { data } = await fleet.create()
    make(data.checkout_path)
    const before =
      git(data.checkout_path, ['for-each-ref']) + git(data.checkout_path, ['status', '--porcelain'])
    const { code, status, details, message } = await refusalOf(fleet.destroy(data.id))
    assert.deepEqual([code, status, details['reasons']], ['instance.remove_refused', 409, [reason]])
    assert.equal(details['path'], data.checkout_path)
    const isLinked = reason === 'linked_worktrees'
    assert.deepEqual(details['worktrees'], isLinked ? [`${data.checkout_path}-linked`] : undefined)
    assert.match(message, isLinked ? /has linked worktrees/ : /work that exists nowhere else/)
    const after =
      git(data.checkout_path, ['for-each-ref']) + git(data.checkout_path, ['status', '--porcelain'])
    assert.equal(after, before)
    assert.equal((await rowsOf(fleet))[0]?.status, 'active')
    assert.equal((await fleet.destroy(data.id, true)).force, true)
    assert.equal(existsSync(data.checkout_path), false)
  })
}

test('an untracked file is work, an ignored one is not [INS-111]', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'main', { '.gitignore': 'vendor/\n' })
  const { data } = await fleet.create()
  writeFileSync(join(makeFolder(data.checkout_path, 'vendor'), 'a'), 'a')
  writeFileSync(join(data.checkout_path, 'note.txt'), 'n')
  assert.deepEqual((await refusalOf(fleet.destroy(data.id))).details['reasons'], ['uncommitted_work'])
  rmSync(join(data.checkout_path, 'note.txt'))
  assert.equal((await fleet.destroy(data.id)).status, 'completed')
})

test('a repository that Git ignores keeps the checkout while it has work of its own, and is named [INS-111]', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'main', { '.gitignore': 'vendor/\n' })
  const { data } = await fleet.create()
  const clone = join(data.checkout_path, 'vendor/acme')
  git(data.checkout_path, ['clone', '-q', fleet.git.pathOf('app'), clone])
  mkdirSync(join(data.checkout_path, 'vendor/broken/.git'), { recursive: true })
  const refused = async () => {
    const { code, message, details } = await refusalOf(fleet.destroy(data.id))
    assert.equal(code, 'instance.remove_refused')
    assert.match(message, /repositories of their own/)
    return [details['reasons'], details['repositories']]
  }
  const named = [['nested_repositories'], ['vendor/acme']]
  writeFileSync(join(clone, 'fix.php'), 'days of work')
  assert.deepEqual(await refused(), named)
  git(clone, ['add', '.'])
  git(clone, ['stash', '-q'])
  assert.deepEqual(await refused(), named)
  git(clone, ['stash', 'pop', '-q'])
  git(clone, ['commit', '-q', '-m', 'Mine'])
  assert.deepEqual(await refused(), named)
  git(clone, ['push', '-q', 'origin', 'HEAD:refs/heads/fix'])
  assert.equal((await fleet.destroy(data.id)).status, 'completed')
})

for (const root of ['.', 'apps/[site]/public']) {
  test(`a tracked .env that the fleet rewrote is no work, any other tracked file is, below ${root} [INS-111]`, async () => {
    await using fleet = await startInstancesFleet()
    const directory = root === '.' ? '' : 'apps/[site]/'
    fleet.git.commit('app', 'main', { [`${directory}.env`]: 'A=1\n', [`${directory}env`]: 'A=1\n' })
    const { data } = await fleet.create({ root })
    const path = (name: string) => join(data.checkout_path, directory, name)
    writeFileSync(path('.env'), 'A="2"\n')
    writeFileSync(path('env'), 'A=2\n')
    assert.deepEqual((await refusalOf(fleet.destroy(data.id))).details['reasons'], ['uncommitted_work'])
    writeFileSync(path('env'), 'A=1\n')
    assert.equal((await fleet.destroy(data.id)).status, 'completed')
  })
}

test('an untracked .env.testing is no work, a changed one of the Project is [INS-111]', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'main', { 'a.txt': '1' })
  const { data: plain } = await fleet.create({ name: 'plain' })
  writeFileSync(join(plain.checkout_path, '.env.testing'), 'A="1"\n')
  assert.equal((await fleet.destroy(plain.id)).status, 'completed')
  fleet.git.commit('app', 'main', { '.env.testing': 'A=1\n' })
  const { data } = await fleet.create({ name: 'tracked' })
  writeFileSync(join(data.checkout_path, '.env.testing'), 'A=2\n')
  assert.deepEqual((await refusalOf(fleet.destroy(data.id))).details['reasons'], ['uncommitted_work'])
})

for (const mark of ['--skip-worktree', '--assume-unchanged'])
  test(`a changed file that Git was told not to look at is work, an unchanged or a missing one is not: ${mark} [INS-111]`, async () => {
    await using fleet = await startInstancesFleet()
    const names = ['local.php', 'touched.php', 'gone.php', 'two\nlines é.php']
    const quoted = names.map((name) => [JSON.stringify(name), 'a'])
    fleet.git.commit('app', 'main', { '.env': 'A=1\n', ...Object.fromEntries(quoted) })
    const { data } = await fleet.create()
    const path = (name: string) => join(data.checkout_path, name)
    git(data.checkout_path, ['update-index', mark, '.env', ...names])
    writeFileSync(path('.env'), 'A=2\n')
    utimesSync(path('touched.php'), 1_000_000, 1_000_000)
    rmSync(path('gone.php'))
    for (const name of ['local.php', 'two\nlines é.php']) {
      writeFileSync(path(name), 'mine')
      assert.equal(git(data.checkout_path, ['status', '--porcelain']), '')
      assert.deepEqual((await refusalOf(fleet.destroy(data.id))).details['reasons'], ['uncommitted_work'])
      assert.equal(readFileSync(path(name), 'utf8'), 'mine')
      writeFileSync(path(name), 'a')
    }
    const marked = git(data.checkout_path, ['ls-files', '-v']).split('\n')
    assert.equal(marked.filter((line) => !line.startsWith('H ')).length, 5)
    assert.equal((await fleet.destroy(data.id)).status, 'completed')
    assert.deepEqual(fleet.residue(), [])
  })

test(
  'a folder that nobody can look into is work [INS-111]',
  { skip: process.getuid?.() === 0 && 'root can look into every folder' },
  async () => {
    await using fleet = await startInstancesFleet()
    const { data } = await fleet.create()
    const closed = makeFolder(data.checkout_path, 'closed')
    writeFileSync(join(closed, 'mine.txt'), 'mine')
    chmodSync(closed, 0o000)
    assert.deepEqual((await refusalOf(fleet.destroy(data.id))).details['reasons'], ['uncommitted_work'])
    assert.equal((await fleet.destroy(data.id, true)).status, 'completed')
    assert.deepEqual(fleet.residue(), [])
  },
)

test('a commit that only another local branch and a local tag hold is work [INS-111]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  git(data.checkout_path, ['commit', '--allow-empty', '-m', 'Mine'])
  git(data.checkout_path, ['tag', 'mine'])
  git(data.checkout_path, ['branch', 'side'])
  git(data.checkout_path, ['reset', '-q', '--hard', 'HEAD^'])
  assert.deepEqual((await refusalOf(fleet.destroy(data.id))).details['reasons'], ['unpushed_commits'])
})

for (const [what, keep] of [
  ['tag', (checkout: string) => git(checkout, ['tag', 'keep-me'])],
  ['note', (checkout: string) => git(checkout, ['notes', 'add', '-m', 'days of work'])],
] as const)
  test(`what only a local ${what} holds is work, until the origin has it [INS-111]`, async () => {
    await using fleet = await startInstancesFleet()
    const { data } = await fleet.create()
    if (what === 'tag') git(data.checkout_path, ['commit', '--allow-empty', '-m', 'Mine'])
    keep(data.checkout_path)
    if (what === 'tag') git(data.checkout_path, ['reset', '-q', '--hard', 'HEAD^'])
    assert.deepEqual((await refusalOf(fleet.destroy(data.id))).details['reasons'], ['unpushed_commits'])
    git(data.checkout_path, [
      'push',
      '-q',
      fleet.git.pathOf('app'),
      what === 'tag' ? 'keep-me' : 'refs/notes/*',
    ])
    assert.equal((await fleet.destroy(data.id)).status, 'completed')
  })

test('a commit that the origin has under a tag alone is safe [INS-111]', async () => {
  await using fleet = await startInstancesFleet()
  const commit = fleet.git.commit('app', 'release', { 'a.txt': '1' })
  const { data } = await fleet.create({ branch: 'release' })
  git(fleet.git.pathOf('app'), ['tag', 'v1', commit])
  git(fleet.git.pathOf('app'), ['branch', '-D', 'release'])
  assert.equal((await fleet.destroy(data.id)).status, 'completed')
})

test('a branch that the origin has deleted since does not make its commits safe [INS-111]', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'gone', { 'a.txt': '1' })
  const { data } = await fleet.create({ branch: 'gone' })
  git(fleet.git.pathOf('app'), ['branch', '-D', 'gone'])
  assert.deepEqual((await refusalOf(fleet.destroy(data.id))).details['reasons'], ['unpushed_commits'])
})

test('an origin that cannot be asked does not make a source safe; force does not ask it [INS-111]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  fleet.git.down = true
  assert.deepEqual((await refusalOf(fleet.destroy(data.id))).details['reasons'], ['origin_unreachable'])
  assert.equal((await fleet.destroy(data.id, true)).status, 'completed')
})

test('a link inside the checkout is deleted, what it leads to stays', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const outside = makeFolder(fleet.home, 'outside')
  writeFileSync(join(outside, 'kept.txt'), 'kept')
  symlinkSync(outside, join(data.checkout_path, 'link'))
  symlinkSync(outside, join(data.checkout_path, '.git', 'link'))
  await fleet.destroy(data.id, true)
  assert.deepEqual(readdirSync(outside), ['kept.txt'])
  assert.deepEqual(fleet.residue(), [])
})

test('a neighbour in the Project folder is not touched', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const neighbour = await fleet.create({ name: 'other' })
  await fleet.destroy(data.id)
  assert.equal(readFileSync(join(neighbour.data.checkout_path, 'README.md'), 'utf8'), '# app\n')
})

test('an unfinished creation is removed without a look at its work [INS-116]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  for (const status of ['reserved', 'checkout_prepared', 'source_resolved'] as const) {
    const { data: one } = await fleet.create({ name: status.replace('_', '-') })
    await fleet.store.db
      .updateTable('instances')
      .set({ status, profile: null })
      .where('id', '=', one.id)
      .execute()
    writeFileSync(join(one.checkout_path, 'half.txt'), 'half')
    assert.equal((await fleet.destroy(one.id)).status, 'completed')
    assert.equal(existsSync(one.checkout_path), false)
  }
  assert.equal((await fleet.destroy(data.id)).status, 'completed')
})

test('a Node that is not active refuses before anything is asked', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  await fleet.store.db.updateTable('nodes').set({ status: 'failed' }).execute()
  const asked = fleet.pool.commands.length
  assert.equal((await refusalOf(fleet.destroy(data.id))).code, 'node.not_active')
  assert.equal(fleet.pool.commands.length, asked)
})

test('a removal waits for nobody who creates, and says who holds the Instance [GW-042, GW-043]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const request = { requestId: 'r-1', operation: 'instance:setup', waitMilliseconds: 0, leaseSeconds: 60 }
  const name = `instance:${fleet.project.id}:feature:lifecycle`
  const lock = await fleet.store.locks.acquire({ ...request, name })
  const { code, details } = await refusalOf(fleet.destroy(data.id))
  assert.deepEqual([code, details['outcome']], ['instance.lifecycle_busy', 'busy'])
  await lock[Symbol.asyncDispose]()
})

test('a failing teardown step refuses the removal, force or not, and the Instance stays active [INS-117, PRJ-074]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  await addStep(fleet.store, {
    project_id: fleet.project.id,
    position: 1,
    list: 'teardown',
    name: 'stop',
    command: 'exit 4',
  })
  for (const force of [false, true]) {
    const { code, details } = await refusalOf(fleet.destroy(data.id, force))
    assert.equal(code, 'instance.teardown_step_failed')
    assert.deepEqual([details['step'], details['exit_code']], ['stop', 4])
  }
  assert.equal((await rowsOf(fleet))[0]?.status, 'active')
  assert.equal(existsSync(data.checkout_path), true)
})

test('teardown runs in the checkout before the removal, and not for a source that is refused [INS-117, PRJ-021, PRJ-068]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  const proof = join(fleet.home, 'proof')
  const command = `pwd >> ${proof}`
  await addStep(fleet.store, { project_id: fleet.project.id, position: 1, list: 'teardown', command })
  writeFileSync(join(data.checkout_path, 'note.txt'), 'n')
  assert.equal((await refusalOf(fleet.destroy(data.id))).code, 'instance.remove_refused')
  assert.equal(existsSync(proof), false)
  rmSync(join(data.checkout_path, 'note.txt'))
  await fleet.destroy(data.id)
  assert.equal(readFileSync(proof, 'utf8'), `${data.checkout_path}\n`)
})

test('work that the teardown leaves behind refuses a normal removal [INS-111, INS-117]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  await addStep(fleet.store, {
    project_id: fleet.project.id,
    position: 1,
    list: 'teardown',
    command: 'echo dump > dump.sql',
  })
  assert.equal((await refusalOf(fleet.destroy(data.id))).code, 'instance.remove_refused')
  assert.equal((await rowsOf(fleet))[0]?.status, 'active')
})
