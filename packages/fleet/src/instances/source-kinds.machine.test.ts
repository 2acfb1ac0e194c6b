import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { addStep } from '@fleet/testing'
import { Died, makeMortal } from '@fleet/testing/death'
import { git } from '@fleet/testing/git-server'
import { type InstancesFleet, refusalOf, startInstancesFleet } from '@fleet/testing/instances-fleet'

/** The Project's source from here on. */
const use = async (fleet: InstancesFleet, repository: string): Promise<void> => {
  const repository_url = fleet.git.urlOf(repository)
  await fleet.store.db.updateTable('projects').set({ repository_url }).execute()
}

const refused = async (fleet: InstancesFleet): Promise<unknown[]> => {
  const { code, details } = await refusalOf(fleet.create())
  assert.deepEqual(fleet.residue(), [])
  return [code, details['step'], details['git_reason'] ?? details['reason']]
}

test('a repository with SHA-256 objects is checked out, followed and removed like any other', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.add('wide', 'sha256')
  const commit = fleet.git.commit('wide', 'main', { 'a.txt': '1' })
  assert.equal(commit.length, 64)
  await use(fleet, 'wide')
  const { data } = await fleet.create({ name: 'default' })
  assert.equal(data.starting_commit, commit)
  assert.equal(git(data.checkout_path, ['rev-parse', '--show-object-format']), 'sha256')
  assert.equal(git(data.checkout_path, ['rev-parse', '--abbrev-ref', 'main@{upstream}']), 'origin/main')
  assert.equal(git(data.checkout_path, ['status', '--porcelain']), '')
  await fleet.destroy(data.id)
  assert.equal(existsSync(data.checkout_path), false)
})

test('a source that changes the hash of its objects between two attempts is checked out', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.add('wide', 'sha256')
  fleet.git.commit('wide', 'main', { 'a.txt': '1' })
  await use(fleet, 'wide')
  const life = makeMortal(fleet.store, fleet.pool, { afterCommand: 2 })
  await assert.rejects(fleet.create({ name: 'default' }, fleet.rebuild(life)), Died)
  await use(fleet, 'app')
  const { data } = await fleet.create({ name: 'default' })
  assert.equal(git(data.checkout_path, ['rev-parse', '--show-object-format']), 'sha1')
})

for (const [what, place] of [
  ['objects', 'objects'],
  ['references', 'refs'],
  ['configuration', 'config'],
] as const)
  test(`an attempt whose ${what} a power cut took is made anew by the identical request [INS-050]`, async () => {
    await using fleet = await startInstancesFleet()
    const life = makeMortal(fleet.store, fleet.pool, { afterCommand: 2 })
    await assert.rejects(fleet.create({ name: 'default' }, fleet.rebuild(life)), Died)
    const [row] = await fleet.store.db.selectFrom('instances').select('checkout_path').execute()
    const damaged = filesBelow(join(row?.checkout_path ?? '', '.git', place))
    assert.ok(damaged.length > 0)
    for (const file of damaged) {
      chmodSync(file, 0o600)
      writeFileSync(file, place === 'config' ? '[remote' : '')
    }
    const { data } = await fleet.create({ name: 'default' })
    assert.equal(git(data.checkout_path, ['rev-parse', 'HEAD']), data.starting_commit)
    assert.equal(git(data.checkout_path, ['status', '--porcelain']), '')
    git(data.checkout_path, ['fsck', '--full'])
  })

function filesBelow(path: string): readonly string[] {
  if (statSync(path).isFile()) return [path]
  const found = readdirSync(path, { recursive: true, withFileTypes: true })
  return found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

test('a repository without a commit says so', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.add('bare')
  await use(fleet, 'bare')
  assert.deepEqual(await refused(fleet), ['instance.branch_resolution_failed', 'fetch', 'empty'])
  await assert.rejects(fleet.create(), {
    message: 'The repository has no branch yet. Push a first commit to it.',
  })
})

test('a shallow repository is no source, and says so instead of an unknown branch', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'main', { 'a.txt': '1' })
  const shallow = fleet.git.pathOf('shallow')
  git(fleet.home, ['clone', '-q', '--bare', '--depth', '1', `file://${fleet.git.pathOf('app')}`, shallow])
  await use(fleet, 'shallow')
  assert.deepEqual(await refused(fleet), ['instance.branch_resolution_failed', 'fetch', 'shallow'])
})

const POINTER =
  'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n'
const LFS = { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n', 'logo.bin': POINTER }

test('files in Git LFS are refused where the Node has none, so that no pointer takes their place', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'main', LFS)
  assert.deepEqual(await refused(fleet), ['instance.source_failed', 'checkout', 'lfs_missing'])
  fleet.git.commit('app', 'main', { 'logo.bin': 'content, committed before the attribute was\n' })
  assert.equal((await fleet.create()).data.status, 'active')
})

test('files in Git LFS whose server does not give them are refused with that cause', async () => {
  await using fleet = await startInstancesFleet()
  fleet.git.commit('app', 'main', LFS)
  const lines = [
    '[filter "lfs"]',
    'required = true',
    'smudge = "echo no server >&2; exit 2"',
    'clean = cat',
    '',
  ]
  writeFileSync(join(fleet.home, '.gitconfig'), lines.join('\n'))
  assert.deepEqual(await refused(fleet), ['instance.source_failed', 'checkout', 'lfs_failed'])
})

test('submodules stay empty, are no work of the source, and a setup step of the Project fetches them', async () => {
  await using fleet = await startInstancesFleet()
  const [commit] = git(fleet.git.pathOf('app'), ['rev-parse', 'main']).split('\n')
  const modules = `[submodule "lib"]\n\tpath = lib\n\turl = ${fleet.git.urlOf('app')}\n`
  fleet.git.commit('app', 'with-library', { '.gitmodules': modules })
  const tree = git(
    fleet.git.pathOf('app'),
    ['mktree'],
    `${git(fleet.git.pathOf('app'), ['ls-tree', 'with-library'])}\n160000 commit ${commit}\tlib\n`,
  )
  const made = git(fleet.git.pathOf('app'), ['commit-tree', '-m', 'Library', '-p', 'with-library', tree])
  git(fleet.git.pathOf('app'), ['update-ref', 'refs/heads/with-library', made])
  const call = fleet.call()
  const input = { project_id: fleet.project.id, node_id: fleet.node.id, name: 'with-library' }
  const { data } = await fleet.domain.handlers['instance:create']({ call, input })
  assert.deepEqual(readdirSync(join(data.checkout_path, 'lib')), [])
  assert.equal(git(data.checkout_path, ['status', '--porcelain']), '')
  assert.equal(call.notes.properties['submodules'], 1)
  const command = 'git submodule update --init --recursive'
  await addStep(fleet.store, { project_id: fleet.project.id, position: 1, command })
  const other = await fleet.create({ name: 'other', branch: 'with-library' })
  assert.ok(readdirSync(join(other.data.checkout_path, 'lib')).includes('README.md'))
})
