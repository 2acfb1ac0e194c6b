import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { nodeRecord } from '@fleet/testing'
import { Misuse, misuseOf } from './misuse.ts'
import type { ConsoleDeps } from './deps.ts'
import { retarget } from './retarget.ts'
import type { Session } from './session.ts'
import { openConsole, RELEASE } from './world.test.ts'

type Retarget = Session['services']['retarget']
type Opened = Awaited<ReturnType<typeof openConsole>>

/** A console whose gateway reaches a Node under another address by the given function. */
const retargeting = ({ deps }: Opened, run: Retarget): ConsoleDeps => ({
  ...deps,
  inSession: (work) =>
    deps.inSession((session) => work({ ...session, services: { ...session.services, retarget: run } })),
})

test('a Node is reached under its new address, of which only what was typed is requested, and each step is printed once it ended [NODE-034]', async () => {
  await using console = await openConsole()
  const requests: unknown[] = []
  const deps = retargeting(console, async (call, request) => {
    requests.push({ ...request, caller: call.caller })
    call.progress({ step: 'connect', status: 'started' })
    call.progress({ step: 'connect', status: 'done' })
    return {
      ...nodeRecord({
        name: request.name,
        public_ssh_host: request.host,
        public_ssh_port: request.port ?? 22,
      }),
    }
  })
  for (const more of [[], ['--port', '2222'], ['--fingerprint', 'SHA256:x']])
    assert.equal(await retarget(['web-1', '192.0.2.9', ...more], RELEASE, deps), 0)
  const request = {
    name: 'web-1',
    host: '192.0.2.9',
    port: undefined,
    fingerprint: undefined,
    caller: undefined,
  }
  assert.deepEqual(requests, [request, { ...request, port: 2222 }, { ...request, fingerprint: 'SHA256:x' }])
  const lines = console.lines.map((line) =>
    line
      .trimEnd()
      .replace(/ +/g, ' ')
      .replace(/ \d+\.\d s$/, ''),
  )
  const reached = (port: number): string => `web-1 is now reached at 192.0.2.9 port ${port}.`
  assert.deepEqual(lines, [
    ' done connect',
    reached(22),
    ' done connect',
    reached(2222),
    ' done connect',
    reached(22),
  ])
  const rows = await console.activities()
  assert.deepEqual(
    rows.map(({ command, status, caller_node_id }) => [command, status, caller_node_id]),
    rows.map(() => ['node:retarget', 'succeeded', null]),
  )
  assert.deepEqual([rows.length, console.held()], [3, 0])
})

test('a refusal keeps its code and is recorded, and other words change nothing', async () => {
  await using console = await openConsole()
  const deps = retargeting(console, () => Promise.reject(fail('node.not_found')))
  await assert.rejects(retarget(['web-9', '192.0.2.9'], RELEASE, deps), { code: 'node.not_found' })
  for (const words of [[], ['web-1'], ['web-1', '192.0.2.9', '22']])
    await assert.rejects(retarget(words, RELEASE, deps), Misuse)
  await assert.rejects(retarget(['web-1', '192.0.2.9', '--ports', '22'], RELEASE, deps), (error) => {
    assert.ok(misuseOf(error))
    return true
  })
  const rows = await console.activities()
  assert.deepEqual(
    rows.map(({ command, status, error_code }) => [command, status, error_code]),
    [['node:retarget', 'failed', 'node.not_found']],
  )
  assert.deepEqual([console.lines, console.held()], [[], 0])
})
