import assert from 'node:assert/strict'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { addProject } from '@fleet/testing'
import {
  type InstancesFleet,
  makeFolder,
  refusalOf,
  startInstancesFleet,
} from '@fleet/testing/instances-fleet'

const rowsOf = (fleet: InstancesFleet) => fleet.store.db.selectFrom('instances').selectAll().execute()

test('a foreign directory at the path refuses and stays byte for byte [INS-053, INS-058]', async () => {
  await using fleet = await startInstancesFleet()
  const foreign = makeFolder(fleet.apps, 'app', 'feature')
  writeFileSync(join(foreign, 'mine.txt'), 'mine')
  const before = lstatSync(foreign).ino
  const { code, status } = await refusalOf(fleet.create())
  assert.deepEqual([code, status], ['instance.path_taken', 409])
  assert.equal(lstatSync(foreign).ino, before)
  assert.deepEqual(readdirSync(foreign), ['mine.txt'])
  assert.equal(readFileSync(join(foreign, 'mine.txt'), 'utf8'), 'mine')
  assert.deepEqual(fleet.residue(), ['app', 'app/feature', 'app/feature/mine.txt'])
  assert.deepEqual(await rowsOf(fleet), [])
})

test('an empty directory, a file, a link and a dangling link count as taken too, under a name of its own for default [INS-058]', async () => {
  await using fleet = await startInstancesFleet()
  const folder = makeFolder(fleet.apps, 'app')
  const target = makeFolder(fleet.home, 'target')
  mkdirSync(join(folder, 'empty'))
  writeFileSync(join(folder, 'file'), 'text')
  symlinkSync(target, join(folder, 'link'))
  symlinkSync('/nowhere', join(folder, 'default'))
  for (const name of ['empty', 'file', 'link']) {
    assert.equal((await refusalOf(fleet.create({ name }))).code, 'instance.path_taken')
  }
  assert.equal((await refusalOf(fleet.create({ name: 'default' }))).code, 'instance.default_path_occupied')
  assert.deepEqual(readdirSync(target), [])
  assert.equal(readFileSync(join(folder, 'file'), 'utf8'), 'text')
  assert.equal(readlinkSync(join(folder, 'default')), '/nowhere')
  assert.deepEqual(readdirSync(folder).toSorted(), ['default', 'empty', 'file', 'link'])
})

test('a link in place of the Project folder is refused, and nothing is made behind it', async () => {
  await using fleet = await startInstancesFleet()
  const behind = makeFolder(fleet.home, 'behind')
  makeFolder(fleet.apps)
  symlinkSync(behind, join(fleet.apps, 'app'))
  assert.equal((await refusalOf(fleet.create())).code, 'instance.checkout_path_unsafe')
  assert.deepEqual(readdirSync(behind), [])
  assert.deepEqual(await rowsOf(fleet), [])
})

test('a receipt of another attempt or of another directory proves nothing [INS-053]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create({ name: 'theirs' })
  const copied = makeFolder(fleet.apps, 'app', 'feature', '.git', 'orbit')
  const receipt = readFileSync(join(data.checkout_path, '.git/orbit/preparation'))
  writeFileSync(join(copied, 'preparation'), receipt)
  assert.equal((await refusalOf(fleet.create())).code, 'instance.path_taken')
  assert.deepEqual(readFileSync(join(copied, 'preparation')), receipt)
})

test('the checkout path of another record is taken even when nothing stands there [INS-058]', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  // The first Project was renamed, so a second one may have its slug.
  await fleet.store.db.updateTable('projects').set({ slug: 'moved' }).execute()
  const second = await addProject(fleet.store, { slug: 'app' })
  const { code, details } = await refusalOf(fleet.create({ project_id: second.id }))
  assert.equal(code, 'instance.path_taken')
  assert.equal(details['checkout_path'], data.checkout_path)
})

test('an apps root that cannot be made is named with its Node', async () => {
  await using fleet = await startInstancesFleet()
  writeFileSync(join(fleet.home, 'apps'), 'a file')
  const { code, details } = await refusalOf(fleet.create())
  assert.equal(code, 'node.settings_root_failed')
  assert.deepEqual(details['node'], { id: fleet.node.id, name: fleet.node.name })
  assert.deepEqual(await rowsOf(fleet), [])
})

test('folders are made for their owner to write and others to read', async () => {
  await using fleet = await startInstancesFleet()
  const { data } = await fleet.create()
  for (const path of [fleet.apps, join(fleet.apps, 'app'), data.checkout_path]) {
    assert.equal(lstatSync(path).mode & 0o777, 0o755)
  }
})
