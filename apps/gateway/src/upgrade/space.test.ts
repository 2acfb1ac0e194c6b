import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { requireSpace } from './space.ts'

/** A file system on which nothing is ever free. */
const FULL = '/proc'

test('an upgrade that would fill one of its disks is refused with what is free there', async () => {
  await requireSpace([tmpdir(), FULL], 0)
  await requireSpace([tmpdir()], 1)
  await assert.rejects(requireSpace([tmpdir(), FULL], 1), {
    name: 'Refusal',
    message: '/proc has 0 MB free, but an upgrade requires 1 MB.',
    next: 'Free some space, or lower FLEET_GATEWAY_RELEASE_MIN_FREE_MB in /etc/fleet/gateway.env.',
  })
  const petabyte = 1024 ** 3
  await assert.rejects(requireSpace([tmpdir()], petabyte), (error: Error) => {
    const free = Number(/ has (\d+) MB free/.exec(error.message)?.[1])
    return free > 0 && free < petabyte
  })
})
