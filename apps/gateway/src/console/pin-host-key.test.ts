import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { nodeRecord } from '@fleet/testing'
import type { ConsoleDeps } from './deps.ts'
import { Misuse } from './misuse.ts'
import { pinHostKey } from './pin-host-key.ts'
import type { Session } from './session.ts'
import { openConsole, RELEASE } from './world.test.ts'

type Pin = Session['services']['pinHostKey']
type Opened = Awaited<ReturnType<typeof openConsole>>

/** A console whose gateway pins the key of a Node by the given function. */
const pinning = ({ deps }: Opened, run: Pin): ConsoleDeps => ({
  ...deps,
  inSession: (work) =>
    deps.inSession((session) => work({ ...session, services: { ...session.services, pinHostKey: run } })),
})

test('the typed host key of a Node is pinned under an Activity', async () => {
  await using console = await openConsole()
  const pins: unknown[] = []
  const deps = pinning(console, async (call, pin) => {
    pins.push([call.caller, pin])
    return nodeRecord({ name: pin.name, ssh_host_fingerprint: pin.fingerprint })
  })
  assert.equal(await pinHostKey(['web-1', 'SHA256:new'], RELEASE, deps), 0)
  assert.deepEqual(pins, [[undefined, { name: 'web-1', fingerprint: 'SHA256:new' }]])
  assert.deepEqual(console.lines, ['The SSH host key of web-1 is now SHA256:new.\n'])
  const rows = await console.activities()
  assert.deepEqual(
    [rows.map(({ command, status, caller_node_id }) => [command, status, caller_node_id]), console.held()],
    [[['node:pin-host-key', 'succeeded', null]], 0],
  )
})

test('a refusal keeps its code and is recorded, and other words change nothing', async () => {
  await using console = await openConsole()
  const deps = pinning(console, () => Promise.reject(fail('node.ssh_host_key_mismatch')))
  await assert.rejects(pinHostKey(['web-1', 'SHA256:x'], RELEASE, deps), {
    code: 'node.ssh_host_key_mismatch',
  })
  for (const words of [[], ['web-1'], ['web-1', 'SHA256:x', 'y']])
    await assert.rejects(pinHostKey(words, RELEASE, deps), Misuse)
  const rows = await console.activities()
  assert.deepEqual(
    rows.map(({ command, status, error_code }) => [command, status, error_code]),
    [['node:pin-host-key', 'failed', 'node.ssh_host_key_mismatch']],
  )
})
