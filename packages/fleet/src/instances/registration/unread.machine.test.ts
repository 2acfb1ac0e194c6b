import assert from 'node:assert/strict'
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startInstancesFleet } from '@fleet/testing/instances-fleet'
import { cloned, register } from '#/instances/registration/world.test.ts'

const GIGABYTE = 1024 ** 3
const LONG_AGO = new Date('2001-01-01T00:00:00Z')

/** Files of a checkout that Git does not know, two gigabytes that take no room among them, none of which was ever read. */
function fill(path: string): readonly string[] {
  mkdirSync(join(path, 'node_modules'))
  const names = ['video', 'other video', ...Array.from({ length: 200 }, (_, at) => `node_modules/${at}`)]
  for (const name of names) {
    const file = openSync(join(path, name), 'w')
    if (name.endsWith('video')) ftruncateSync(file, GIGABYTE)
    else writeFileSync(file, 'x'.repeat(1000))
    closeSync(file)
    // A time of access before that of the last change moves with the first reading, however seldom the storage writes it.
    utimesSync(join(path, name), LONG_AGO, new Date())
  }
  return names
}

const readOnes = (path: string, names: readonly string[]): readonly string[] =>
  names.filter((name) => statSync(join(path, name)).atime.getTime() !== LONG_AGO.getTime())

for (const place of ['src/app', 'apps/app/app'])
  test(`a checkout of two gigabytes is adopted from ${place} without reading its content`, async (context) => {
    await using fleet = await startInstancesFleet()
    const path = cloned(fleet, join(fleet.home, place, '..'))
    const names = fill(path)
    assert.deepEqual(readOnes(path, names), [])
    const { data } = await register(fleet, { source_path: path })
    const adopted = data.app_instance.checkout_path
    assert.deepEqual(readOnes(adopted, names), [])
    assert.equal(statSync(join(adopted, 'video')).size, GIGABYTE)
    readFileSync(join(adopted, 'node_modules/7'))
    if (readOnes(adopted, names).length === 0) context.skip('the storage keeps no times of access')
    assert.ok(readdirSync(adopted).includes('node_modules'))
  })
