import assert from 'node:assert/strict'
import { mkdtempDisposableSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freeBytes } from './free-bytes.ts'
import { requireSpace } from './space.ts'

/** A file system on which nothing is ever free. */
const FULL = '/proc'
const LOWER = 'Free some space, or lower FLEET_GATEWAY_RELEASE_MIN_FREE_MB in /etc/fleet/gateway.env.'
const needOf = (releases: string, home: string, leastMegabytes: number) =>
  requireSpace({ releases, records: { home, url: undefined }, leastMegabytes })

test('an upgrade that would fill one of its disks is refused with what is free there', async () => {
  await needOf(tmpdir(), FULL, 0)
  await needOf(tmpdir(), tmpdir(), 1)
  const refusal = {
    name: 'Refusal',
    message: '/proc has 0 MB free, but an upgrade requires 1 MB.',
    next: LOWER,
  }
  await assert.rejects(needOf(tmpdir(), FULL, 1), refusal)
  await assert.rejects(needOf(FULL, tmpdir(), 1), refusal)
  const petabyte = 1024 ** 3
  await assert.rejects(needOf(tmpdir(), tmpdir(), petabyte), (error: Error) => {
    const free = Number(/ has (\d+) MB free/.exec(error.message)?.[1])
    return free > 0 && free < petabyte
  })
})

test('an upgrade needs room for two copies of the records', async () => {
  using home = mkdtempDisposableSync(join(tmpdir(), 'fleet-space-'))
  const file = join(home.path, 'gateway.sqlite')
  writeFileSync(file, '')
  // Sparse: a large file that takes no room.
  truncateSync(file, Math.ceil((await freeBytes(home.path)) * 0.75))
  await assert.rejects(needOf(tmpdir(), home.path, 1), {
    name: 'Refusal',
    next: 'Free some space: the records are copied, and a rollback copies them once more.',
  })
  await requireSpace({
    releases: tmpdir(),
    records: { home: home.path, url: 'postgres://elsewhere' },
    leastMegabytes: 1,
  })
  truncateSync(file, 1024)
  await needOf(tmpdir(), home.path, 1)
})
