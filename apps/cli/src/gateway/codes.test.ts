import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { errorRegistry } from '@fleet/contract'
import { clientCodes } from './codes.ts'

test('the gateway can answer with no code of the client [GW-055, NODE-112]', () => {
  for (const code of Object.keys(clientCodes)) assert.ok(!Object.hasOwn(errorRegistry, code), code)
  for (const code of ['unknown', 'duplicate', 'invalid', 'required'])
    assert.ok(!Object.hasOwn(errorRegistry, `node.setting_${code}`))
})

test('every code of the client is given somewhere, and every one that is given has a text [GW-055]', () => {
  const folder = new URL('..', import.meta.url)
  const sources = globSync('**/*.ts', { cwd: folder }).filter(
    (path) => !/\.test\.ts$|codes\.ts$|specs?\.ts$/.test(path),
  )
  const given = new Set(
    sources.flatMap((path) =>
      [
        ...readFileSync(new URL(path, folder), 'utf8').matchAll(
          /'((?:gateway|realtime)\.[a-z]+_?[a-z_]*|github\.installation_pending)'/g,
        ),
      ].map(([, code]) => code),
    ),
  )
  // Some are codes of the gateway, of which this client says what to do next.
  const own = [...given].filter((code) => code === undefined || !Object.hasOwn(errorRegistry, code))
  assert.deepEqual(new Set(Object.keys(clientCodes)), new Set(own))
})
