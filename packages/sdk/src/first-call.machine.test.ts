import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

/** A program with the SDK alone: whatever else is imported may have created what Node sends requests with. */
const PROGRAM = `
import { subscribe } from 'node:diagnostics_channel'
import { createClient } from ${JSON.stringify(new URL('index.ts', import.meta.url).href)}
subscribe('undici:request:create', ({ request }) => {
  console.log(JSON.stringify([request.headersTimeout, request.bodyTimeout]))
})
const client = createClient({ baseUrl: 'http://127.0.0.1:3' })
await client.call('instance:destroy', { instance: 1 }).catch(() => undefined)
`

test('the first request of a process has no time limit of the platform either', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.deepEqual([stdout, stderr], ['[0,0]\n', ''])
})
