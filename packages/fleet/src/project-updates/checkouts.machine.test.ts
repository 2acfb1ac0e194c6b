import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { InputOf } from '@fleet/contract'
import { fakeCall, testDomains } from '@fleet/testing'
import { makeMortal, Died, momentsOf, type Moment, type Mortal } from '@fleet/testing/death'
import { git } from '@fleet/testing/git-server'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'
import { sampled } from '@fleet/testing/sample'

type Given = Omit<InputOf<'project:update'>, 'project'>

const remotes = {
  defaultBranch: async () => 'main',
  hasBranch: async () => true,
  githubToken: async () => undefined,
}

/** An update in a process of its own, which dies at the moment. */
function process(fleet: InstancesFleet, moment?: Moment) {
  const mortal: Mortal = makeMortal(fleet.store, fleet.pool, moment)
  const { projects } = testDomains({ store: mortal.store, ssh: mortal.ssh }, { git: remotes })
  const update = (given: Given, call = fakeCall()) =>
    projects.handlers['project:update']({ call, input: { project: fleet.project.id, ...given } })
  return { mortal, update }
}

const update = (fleet: InstancesFleet, given: Given, call = fakeCall()) => process(fleet).update(given, call)

/** The same history under another URL, with a branch more. */
function fork(fleet: InstancesFleet, name = 'fork'): string {
  const from = fleet.git.pathOf('app')
  execFileSync('cp', ['-a', from, fleet.git.pathOf(name)])
  return fleet.git.urlOf(name)
}

const NAMES = ['default', 'feature', 'other'] as const

async function checkouts(fleet: InstancesFleet): Promise<ReadonlyMap<string, string>> {
  fleet.git.commit('app', 'trunk', { 'trunk.txt': 'of the trunk\n' })
  const paths = new Map<string, string>()
  for (const name of NAMES) paths.set(name, (await fleet.create({ name })).data.checkout_path)
  return paths
}

const facts = (path: string) => ({
  origin: git(path, ['config', '--get-all', 'remote.origin.url']),
  head: git(path, ['symbolic-ref', 'HEAD']),
  commit: git(path, ['rev-parse', 'HEAD']),
  branches: git(path, [
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/heads',
    'refs/stash',
    'refs/fleet',
  ]),
  status: git(path, ['status', '--porcelain', '--ignored']),
  text: existsSync(join(path, 'work.txt')) ? readFileSync(join(path, 'work.txt'), 'utf8') : '',
})

const factsOf = (paths: ReadonlyMap<string, string>) =>
  Object.fromEntries([...paths].map(([name, path]) => [name, facts(path)]))

test('another URL of the repository becomes the origin of every checkout; commits, branches, stashes and work stay [PRJ-047]', async () => {
  await using fleet = await startInstancesFleet()
  const paths = await checkouts(fleet)
  const feature = paths.get('feature') ?? ''
  writeFileSync(join(feature, 'README.md'), 'stashed\n')
  git(feature, ['stash'])
  writeFileSync(join(feature, 'work.txt'), 'nobody else has it\n')
  git(feature, ['config', '--add', 'remote.origin.pushurl', 'https://example.com/mine.git'])
  const before = factsOf(paths)
  const url = fork(fleet)
  const call = fakeCall()
  const { data } = await update(fleet, { repository_url: url }, call)
  assert.equal(data.repository_url, url)
  assert.deepEqual(
    factsOf(paths),
    Object.fromEntries(Object.entries(before).map(([name, known]) => [name, { ...known, origin: url }])),
  )
  assert.equal(git(feature, ['config', '--get', 'remote.origin.pushurl']), 'https://example.com/mine.git')
  assert.deepEqual(
    call.steps.filter((step) => step.startsWith('origins: ') && step.endsWith(' done')).toSorted(),
    NAMES.map((name) => `origins: ${name} done`),
  )
})

test('a checkout that cannot follow refuses the update, and every other one keeps its origin [PRJ-042, PRJ-051]', async () => {
  await using fleet = await startInstancesFleet()
  const paths = await checkouts(fleet)
  const other = paths.get('other') ?? ''
  const url = fork(fleet)
  const before = factsOf(paths)
  const refused = async (given: Given = { repository_url: url }) => {
    const { code, status, details } = await refusalOf(update(fleet, given))
    assert.deepEqual(facts(paths.get('default') ?? ''), before['default'])
    return { code, status, reason: details['reason'], name: (details['instance'] as { name: string }).name } // Of these codes.
  }
  const code = 'project.repository_preflight_failed'
  git(other, ['remote', 'set-url', 'origin', 'https://example.com/elsewhere.git'])
  assert.deepEqual(await refused(), { code, status: 409, reason: 'origin_mismatch', name: 'other' })
  git(other, ['remote', 'set-url', 'origin', before['other']?.origin ?? ''])

  fleet.git.add('alien')
  fleet.git.commit('alien', 'main', { 'README.md': 'of somebody else\n' })
  const alien = await refused({ repository_url: fleet.git.urlOf('alien') })
  assert.deepEqual([alien.code, alien.reason], [code, 'unrelated_history'])
  const missing = await refused({ repository_url: fleet.git.urlOf('missing') })
  assert.deepEqual([missing.code, missing.reason], [code, 'unreadable'])

  // Its Git directory is a part of another one, as that of a linked worktree.
  writeFileSync(join(other, '.git', 'commondir'), `${paths.get('feature')}/.git\n`)
  const common = await refused()
  assert.deepEqual(
    [common.code, common.status, common.name],
    ['project.repository_unowned_common', 409, 'other'],
  )
  rmSync(join(other, '.git', 'commondir'))

  writeFileSync(join(other, '.git', 'config.lock'), '')
  const locked = await refused()
  assert.deepEqual(
    [locked.code, locked.status, locked.reason, locked.name],
    ['project.repository_origin_failed', 502, 'config_locked', 'other'],
  )
  rmSync(join(other, '.git', 'config.lock'))

  renameSync(other, `${other}.away`)
  for (const given of [{ repository_url: url }, { slug: 'vier' }])
    assert.deepEqual(await refused(given), { code, status: 409, reason: 'checkout_missing', name: 'other' })
  execFileSync('cp', ['-a', `${other}.away`, other])
  assert.deepEqual(await refused(), { code, status: 409, reason: 'checkout_foreign', name: 'other' })
  rmSync(other, { recursive: true })
  renameSync(`${other}.away`, other)
  assert.deepEqual(factsOf(paths), before)
  await update(fleet, { repository_url: url })
  assert.equal(factsOf(paths)['other']?.origin, url)
})

test('the default Instance switches to another default branch, and back when a later step fails [PRJ-044, PRJ-048]', async () => {
  await using fleet = await startInstancesFleet()
  const paths = await checkouts(fleet)
  const before = factsOf(paths)
  const main = paths.get('default') ?? ''
  const { db } = fleet.store
  // A value that another Project has: the last thing that is asked before it is published.
  const taken = process(fleet)
  const { publish } = { publish: 'project.slug_conflict' }
  await db
    .insertInto('projects')
    .values({ ...(await projectRow(fleet)), slug: 'taken', code: 'TKN', repository_identity: 'x/y' })
    .execute()
  assert.equal((await refusalOf(taken.update({ default_branch: 'trunk', slug: 'taken' }))).code, publish)
  assert.deepEqual(factsOf(paths), before)

  // Whoever has it checked out already keeps it.
  git(main, ['switch', '-q', 'trunk'])
  const switched = factsOf(paths)
  fleet.git.down = true
  assert.equal(
    (await refusalOf(update(fleet, { default_branch: 'trunk', repository_url: fleet.git.urlOf('none') })))
      .code,
    'project.repository_preflight_failed',
  )
  fleet.git.down = false
  const locked = join(paths.get('other') ?? '', '.git', 'config.lock')
  const url = fork(fleet)
  writeFileSync(locked, '')
  assert.equal(
    (await refusalOf(update(fleet, { default_branch: 'trunk', repository_url: url }))).code,
    'project.repository_origin_failed',
  )
  rmSync(locked)
  assert.deepEqual(factsOf(paths), switched)
  git(main, ['switch', '-q', 'main'])

  const call = fakeCall()
  await update(fleet, { default_branch: 'trunk' }, call)
  const after = factsOf(paths)
  assert.equal(after['default']?.head, 'refs/heads/trunk')
  assert.equal(readFileSync(join(main, 'trunk.txt'), 'utf8'), 'of the trunk\n')
  assert.deepEqual([after['feature'], after['other']], [before['feature'], before['other']])
  const rows = await db.selectFrom('instances').select(['name', 'selected_branch']).orderBy('name').execute()
  assert.deepEqual(rows, [
    { name: 'default', selected_branch: 'trunk' },
    { name: 'feature', selected_branch: 'feature' },
    { name: 'other', selected_branch: 'other' },
  ])
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['project.updated', 'instance.updated'],
  )
})

/** Every column but the id. */
async function projectRow({ store, project }: InstancesFleet) {
  const { id: _id, ...row } = await store.db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', project.id)
    .executeTakeFirstOrThrow()
  return row
}

test('work that is not committed, another branch and a branch that nobody has refuse the switch [PRJ-048, PRJ-051]', async () => {
  await using fleet = await startInstancesFleet()
  const paths = await checkouts(fleet)
  const main = paths.get('default') ?? ''
  const reasonOf = async (default_branch = 'trunk') => {
    const { code, details } = await refusalOf(update(fleet, { default_branch }))
    return [code, details['reason']]
  }
  writeFileSync(join(main, 'work.txt'), 'not committed\n')
  assert.deepEqual(await reasonOf(), ['project.source_switch_failed', 'uncommitted'])
  assert.equal(readFileSync(join(main, 'work.txt'), 'utf8'), 'not committed\n')
  rmSync(join(main, 'work.txt'))
  git(main, ['switch', '-q', '-c', 'mine'])
  assert.deepEqual(await reasonOf(), ['project.source_switch_failed', 'other_branch'])
  git(main, ['switch', '-q', 'main'])
  assert.deepEqual(await reasonOf('nowhere'), ['project.repository_preflight_failed', 'unreadable'])
  // A branch that the checkout has already is taken as it is: its commits are nobody else's.
  git(main, ['branch', 'local'])
  git(main, ['commit', '-q', '--allow-empty', '-m', 'on main'])
  await update(fleet, { default_branch: 'local' })
  assert.equal(facts(main).head, 'refs/heads/local')
})

test('a switch overwrites no file that Git ignores: it names what is in its way, and the checkout stays [PRJ-048]', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'trunk', { '.env': 'THEIRS=1\n' })
  const { data } = await fleet.create({ name: 'default' })
  const file = join(data.checkout_path, '.env')
  writeFileSync(file, 'MINE=1\n')
  const refused = update(fleet, { default_branch: 'trunk' })
  await assert.rejects(refused, {
    message: `The branch trunk would overwrite \`.env\` in the checkout ${data.checkout_path} on the Node ${fleet.node.name}. Move the file away or delete it, then repeat the request.`,
  })
  const { code, details } = await refusalOf(refused)
  assert.deepEqual(
    [code, details['reason'], details['path']],
    ['project.source_switch_failed', 'in_the_way', '.env'],
  )
  assert.equal(readFileSync(file, 'utf8'), 'MINE=1\n')
  assert.equal(facts(data.checkout_path).head, 'refs/heads/main')
})

test('a process that dies at any moment leaves what the identical request finishes, in real checkouts [PRJ-044, PRJ-047, PRJ-048]', async () => {
  await using fleet = await startInstancesFleet()
  const paths = await checkouts(fleet)
  fork(fleet, 'one')
  fork(fleet, 'two')
  const urls = [fleet.git.urlOf('one'), fleet.git.urlOf('two')]
  const turns = [
    { repository_url: urls[0] ?? '', default_branch: 'trunk' },
    { repository_url: urls[1] ?? '', default_branch: 'main' },
  ] as const
  const counted = process(fleet)
  await counted.update(turns[0])
  let died = 0
  // Each costs seconds of real Git, and the list itself is tried at every one.
  const moments = sampled(momentsOf(counted.mortal), 6)
  for (const [index, moment] of moments.entries()) {
    const given = turns[(index + 1) % 2] ?? turns[0]
    const error: unknown = await process(fleet, moment)
      .update(given)
      .then(
        () => undefined,
        (reason: unknown) => reason,
      )
    if (error !== undefined) {
      assert.ok(
        error instanceof Died || (error instanceof Error && error.cause instanceof Died),
        String(error),
      )
      died += 1
    }
    await update(fleet, given)
    const found = factsOf(paths)
    for (const name of NAMES) assert.equal(found[name]?.origin, given.repository_url, JSON.stringify(moment))
    assert.equal(found['default']?.head, `refs/heads/${given.default_branch}`, JSON.stringify(moment))
    assert.ok(!found['default']?.branches.includes('refs/fleet'), JSON.stringify(moment))
  }
  assert.ok(died > moments.length / 2, `${died} of ${moments.length}`)
})

test('another root is the root of every Instance without one of its own: kind, `.env` and what Git ignores [PRJ-049]', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'main', { 'web/.env.example': 'A=1\n', 'web/composer.json': '{}\n' })
  const paths = await checkouts(fleet)
  const { data: own } = await fleet.create({ name: 'own', root: 'public' })
  const { data: stored } = await fleet.create({ name: 'stored' })
  await fleet.store.db.updateTable('nodes').set({ user: userInfo().username }).execute()
  const { environment } = testDomains({ store: fleet.store, ssh: fleet.pool })
  const input = { instance: stored.id, key: 'B', value: '2' }
  await environment.handlers['env:update']({ call: fakeCall(), input })
  await update(fleet, { root: 'web' })
  assert.equal(readFileSync(join(stored.checkout_path, 'web', '.env'), 'utf8'), 'B="2"\n')
  assert.equal(git(stored.checkout_path, ['status', '--porcelain']), '')
  for (const path of paths.values()) {
    assert.equal(readFileSync(join(path, 'web', '.env'), 'utf8'), 'A=1\n')
    assert.equal(git(path, ['status', '--porcelain']), '')
  }
  assert.equal(existsSync(join(own.checkout_path, 'web', '.env')), false)
  const rows = await fleet.store.db
    .selectFrom('instances')
    .select(['name', 'profile'])
    .orderBy('name')
    .execute()
  assert.deepEqual(
    rows.map(({ name, profile }) => [name, profile?.application_directory, profile?.php]),
    [
      ['default', 'web', true],
      ['feature', 'web', true],
      ['other', 'web', true],
      ['own', '', false],
      ['stored', 'web', true],
    ],
  )
})
