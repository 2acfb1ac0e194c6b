import assert from 'node:assert/strict'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { startTestGateway, type TestGateway } from './harness.ts'

let fleet: TestGateway
before(async () => void (fleet = await startTestGateway()))
after(() => fleet[Symbol.asyncDispose]())

const root = () => fleet.ask('GET', '/api/v1/ca/root', { from: 'unknown' })

test('a root certificate that is gone or broken is unavailable, and back as soon as it can be read [GW-053]', async () => {
  const { caFile } = fleet.gateway
  const text = readFileSync(caFile, 'utf8')
  assert.equal((await root()).json.data.root_ca.trim(), text.trim())
  renameSync(caFile, `${caFile}.away`)
  assert.deepEqual([(await root()).status, (await root()).json.error.code], [503, 'ca.unavailable'])
  writeFileSync(caFile, 'no certificate')
  assert.deepEqual([(await root()).status, (await root()).json.error.code], [503, 'ca.unavailable'])
  renameSync(`${caFile}.away`, caFile)
  assert.equal((await root()).status, 200)
})
