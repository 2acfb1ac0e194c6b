import assert from 'node:assert/strict'
import { Agent, request } from 'node:https'
import { test } from 'node:test'
import { ADDRESS, type From, startTestGateway, type TestGateway } from './harness.ts'

/** Statuses of so many requests at one moment, each on a connection of its own that stays open; 0 for one without an answer. */
async function atOnce({ url, ca }: TestGateway, from: From, count: number, path: string): Promise<number[]> {
  const agent = new Agent({ ca, keepAlive: true, localAddress: ADDRESS[from] })
  const ask = (): Promise<number> =>
    new Promise((resolve) => {
      request(new URL(path, url), { agent }, (response) => {
        response.resume()
        response.once('end', () => resolve(response.statusCode ?? 0))
      })
        .once('error', () => resolve(0))
        .end()
    })
  try {
    return await Promise.all(Array.from({ length: count }, ask))
  } finally {
    agent.destroy()
  }
}

test('a Node may have many connections at one time: a burst of requests is answered as each of them alone [API-025]', async () => {
  await using fleet = await startTestGateway()
  for (const from of ['gateway', 'granted'] as const)
    assert.deepEqual(
      await atOnce(fleet, from, 80, '/api/v1/nodes'),
      Array.from({ length: 80 }, () => 200),
    )
})

test('an address that belongs to no active Node has 32 connections', async () => {
  await using fleet = await startTestGateway()
  for (const from of ['unknown', 'inactive'] as const) {
    const statuses = await atOnce(fleet, from, 40, '/api/v1/gateway/status')
    assert.equal(statuses.filter((status) => status === 200).length, 32, from)
    assert.equal(statuses.filter((status) => status === 0).length, 8, from)
  }
})
