import assert from 'node:assert/strict'
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Died, makeMortal } from '@fleet/testing/death'
import { git } from '@fleet/testing/git-server'
import { refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'

test('default without a branch is on the default branch of the Project [INS-046]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create({ name: 'default' })
  assert.equal(data.selected_branch, 'main')
  assert.equal(git(data.checkout_path, ['symbolic-ref', 'HEAD']), 'refs/heads/main')
  assert.equal(git(data.checkout_path, ['rev-parse', '--abbrev-ref', 'main@{upstream}']), 'origin/main')
})

test("another name is on the origin's branch of that name, else on a new one from the default branch [INS-047]", async () => {
  await using fleet = await startInstancesFleet()
  const main = fleet.git.commit('app', 'main', { 'a.txt': '1' })
  const theirs = fleet.git.commit('app', 'known', { 'b.txt': '2' })
  const known = await fleet.create({ name: 'known' })
  const fresh = await fleet.create({ name: 'fresh' })
  assert.deepEqual([known.data.selected_branch, known.data.starting_commit], ['known', theirs])
  assert.deepEqual([fresh.data.selected_branch, fresh.data.starting_commit], ['fresh', main])
  assert.equal(git(fresh.data.checkout_path, ['symbolic-ref', 'HEAD']), 'refs/heads/fresh')
})

test('a given branch is taken from the origin, else made from the default branch [INS-048]', async () => {
  await using fleet = await startInstancesFleet()
  const main = fleet.git.commit('app', 'main', { 'a.txt': '1' })
  const theirs = fleet.git.commit('app', 'team/known', { 'b.txt': '2' })
  const known = await fleet.create({ name: 'one', branch: 'team/known' })
  const fresh = await fleet.create({ name: 'two', branch: 'team/new' })
  assert.equal(known.data.starting_commit, theirs)
  assert.equal(fresh.data.starting_commit, main)
  assert.equal(known.data.branch_override, 'team/known')
  assert.equal(fresh.data.selected_branch, 'team/new')
})

test('a branch that only the checkout has wins over a new one [INS-047]', async () => {
  await using fleet = await startInstancesFleet()
  const first = fleet.git.commit('app', 'main', { 'a.txt': '1' })
  const life = makeMortal(fleet.store, fleet.pool, { afterCommand: 2 })
  await assert.rejects(fleet.create({}, fleet.rebuild(life)), Died)
  fleet.git.commit('app', 'main', { 'a.txt': '2' })
  assert.equal((await fleet.create()).data.starting_commit, first)
})

test('why Git could not read the repository is in the message and the details of the refusal', async () => {
  await using fleet = await startInstancesFleet()
  const repository_url = 'https://127.0.0.1:1/x'
  await fleet.store.db.updateTable('projects').set({ repository_url }).execute()
  await assert.rejects(fleet.create(), {
    code: 'instance.branch_resolution_failed',
    message: 'The repository cannot be read on the Node: its server refuses the connection.',
    details: {
      node: { id: fleet.node.id, name: fleet.node.name },
      step: 'fetch',
      branch: 'feature',
      git_reason: 'refused',
    },
  })
})

test('a remote that cannot be read and a default branch that is gone are distinguished [INS-060]', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.down = true
  const unreadable = await refusalOf(fleet.create())
  fleet.git.down = false
  await fleet.store.db.updateTable('projects').set({ default_branch: 'gone' }).execute()
  const missing = await refusalOf(fleet.create())
  assert.deepEqual(
    [unreadable.code, unreadable.details['step'], unreadable.details['git_reason']],
    ['instance.branch_resolution_failed', 'fetch', 'server'],
  )
  assert.deepEqual(
    [missing.code, missing.details],
    [
      'instance.branch_resolution_failed',
      {
        node: { id: fleet.node.id, name: fleet.node.name },
        step: 'branch',
        branch: 'feature',
        default_branch: 'gone',
        reason: 'default_branch_missing',
      },
    ],
  )
  await assert.rejects(fleet.create(), {
    message: 'The repository has neither `feature` nor the default branch `gone` of its Project.',
  })
  await assert.rejects(fleet.create({ name: 'default' }), {
    message: 'The repository does not have `gone`, the default branch of its Project.',
  })
  assert.deepEqual([unreadable.status, missing.status], [409, 409])
  assert.deepEqual(fleet.residue(), [])
  assert.deepEqual(await fleet.store.db.selectFrom('instances').selectAll().execute(), [])
})

test('a repository URL of another protocol runs nothing on the Node', async () => {
  await using fleet = await startInstancesFleet()
  const proof = join(fleet.home, 'proof')
  for (const url of [
    `ext::sh -c "touch% ${proof}"`,
    `file://${fleet.git.pathOf('app')}`,
    '--upload-pack=touch',
  ]) {
    await fleet.store.db.updateTable('projects').set({ repository_url: url }).execute()
    await assert.rejects(fleet.create(), {
      code: 'instance.branch_resolution_failed',
      message: 'The repository cannot be read on the Node.',
      details: {
        node: { id: fleet.node.id, name: fleet.node.name },
        step: 'fetch',
        branch: 'feature',
        reason: 'remote_unreadable',
      },
    })
  }
  assert.equal(existsSync(proof), false)
})

test('hooks of a template or the user do not run at the checkout', async () => {
  await using fleet = await startInstancesFleet()
  const proof = join(fleet.home, 'proof')
  const hooks = join(fleet.home, 'hooks')
  mkdirSync(hooks)
  for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change']) {
    writeFileSync(join(hooks, hook), `#!/bin/sh\ntouch ${proof}\n`, { mode: 0o755 })
  }
  writeFileSync(join(fleet.home, '.gitconfig'), `[core]\n\thooksPath = ${hooks}\n`)
  await fleet.create()
  assert.equal(existsSync(proof), false)
})

const laravel = { artisan: '#!', 'composer.json': '{"require":{"laravel/framework":"^12"}}' }
const inSite = (files: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`apps/site/${path}`, content]))

test('a framework source in a monorepo is found below its web root [PRJ-020, PRJ-022]', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'main', inSite(laravel))
  await fleet.store.db.updateTable('projects').set({ type: 'monorepo', root: 'apps/site/public' }).execute()
  const { data } = await fleet.create()
  const record = await fleet.domain.instances.find(data.id)
  assert.deepEqual(record?.profile, { applicationDirectory: 'apps/site', framework: 'laravel', php: true })
})

test('the first .env is a copy of the example, closed to others, and no work of the source [INS-056]', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'main', inSite({ ...laravel, '.env.example': 'APP_KEY=\nA=1\n' }))
  await fleet.store.db.updateTable('projects').set({ type: 'monorepo', root: 'apps/site/public' }).execute()
  const { data } = await fleet.create()
  const env = join(data.checkout_path, 'apps/site/.env')
  assert.equal(readFileSync(env, 'utf8'), 'APP_KEY=\nA=1\n')
  assert.equal(lstatSync(env).mode & 0o777, 0o600)
  assert.equal(git(data.checkout_path, ['status', '--porcelain']), '')
  assert.deepEqual(await fleet.store.db.selectFrom('environment_values').selectAll().execute(), [])
})

test('without an example a framework source gets an empty .env, any other none [INS-056, PRJ-025]', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'main', {
    'bin/console': '#!',
    'composer.json': '{"require":{"symfony/framework-bundle":"^7"}}',
  })
  const framed = await fleet.create({ name: 'framed' })
  fleet.git.commit('app', 'main', { 'bin/console': null, 'composer.json': '{}' })
  const plain = await fleet.create({ name: 'plain' })
  assert.equal(readFileSync(join(framed.data.checkout_path, '.env'), 'utf8'), '')
  assert.equal(existsSync(join(plain.data.checkout_path, '.env')), false)
})

test('a tracked .env stays as the repository has it [INS-056]', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'main', { '.env': 'KEPT=1\n', '.env.example': 'OTHER=1\n' })
  const { data } = await fleet.create()
  assert.equal(readFileSync(join(data.checkout_path, '.env'), 'utf8'), 'KEPT=1\n')
})

test('a source that only looks like a framework refuses and leaves nothing [PRJ-026]', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'main', { artisan: '#!', 'composer.json': '{}' })
  const { code, details } = await refusalOf(fleet.create())
  assert.equal(code, 'app-dev.laravel_source_invalid')
  assert.equal(details['file'], 'composer.json')
  assert.deepEqual(fleet.residue(), [])
})
