import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as later } from 'node:timers/promises'
import { connect } from 'node:tls'
import { once } from 'node:events'
import { dataOf, errorOf } from './ask.ts'
import { type EmbeddedFleet, startEmbedded, temporaryHome } from './harness.ts'

/** A setup step that says it has begun and waits until the test lets it end. */
async function addGatedStep(fleet: EmbeddedFleet, folder: string): Promise<void> {
  const command = `touch ${folder}/begun; until [ -e ${folder}/go ]; do sleep 0.05; done`
  const body = { name: 'gated', command, timeout_seconds: 60 }
  assert.equal((await fleet.ask('POST', '/api/v1/projects/1/setup-steps', { body })).status, 201)
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await later(20)
}

test('a stop lets the request in flight finish its work on the Node and refuses new ones meanwhile', async () => {
  using folder = temporaryHome()
  await using fleet = await startEmbedded({ sample: true })
  await addGatedStep(fleet, folder.path)
  const inHand = fleet.ask('POST', '/api/v1/instances/1/setup', { body: {} })
  await until(() => existsSync(join(folder.path, 'begun')))
  const ended = fleet.end('SIGTERM')
  await until(async () => {
    const { status, text } = await fleet.ask('GET', '/healthz')
    return status === 503 && text === 'draining\n'
  })
  const status = await fleet.ask('GET', '/api/v1/gateway/status')
  assert.deepEqual([status.status, dataOf(status)['status']], [200, 'draining'])
  const refused = await fleet.ask('GET', '/api/v1/nodes')
  assert.equal(`${refused.status} ${errorOf(refused)['code']}`, '503 http.draining')
  const change = await fleet.ask('PATCH', '/api/v1/nodes/1/name', { body: { name: 'late' } })
  assert.equal(`${change.status} ${errorOf(change)['code']}`, '503 http.draining')
  writeFileSync(join(folder.path, 'go'), '')
  const answer = await inHand
  assert.equal(answer.status, 200, answer.text)
  assert.equal(dataOf(answer)['id'], 1)
  assert.equal(await ended, 0)
})

test('idle connections do not hold a stop up', async () => {
  await using fleet = await startEmbedded()
  const { hostname, port } = new URL(fleet.announced.base_url)
  const ca = readFileSync(fleet.announced.ca_file)
  const idle = connect({ host: hostname, port: Number(port), ca })
  idle.on('error', () => undefined)
  await once(idle, 'secureConnect')
  assert.equal(await fleet.end('SIGTERM'), 0)
})
