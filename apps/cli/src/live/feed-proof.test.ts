import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '@fleet/testing'
import { FeedProof } from './feed-proof.ts'
import type { GatewayLink } from './gateway-link.ts'

const prove = (proof: FeedProof, ask: GatewayLink['ask'], clock = new FakeClock()) =>
  proof.isSilent({ ask }, { clock, signal: new AbortController().signal, newRequestId: () => 'own' })

test('requests are remembered until the proof ends, and none of a feed that is followed for days', async () => {
  const proof = new FeedProof()
  for (const id of ['first', 'second']) proof.hear(id)
  assert.equal(proof.remembered, 2)
  const answered = Promise.withResolvers<unknown>()
  const proving = prove(proof, () => answered.promise)
  // Published before it is answered, as the gateway does.
  proof.hear('own')
  answered.resolve({})
  assert.equal(await proving, false)
  for (const id of ['third', 'fourth']) proof.hear(id)
  assert.equal(proof.remembered, 0)
})

test('a request that is published after its answer is proof enough', async () => {
  const proof = new FeedProof()
  const asked = Promise.withResolvers<void>()
  const proving = prove(proof, async () => asked.resolve())
  await asked.promise
  proof.hear('own')
  assert.equal(await proving, false)
})

test('a gateway that does not answer ends the proof without an outcome, and nothing is remembered', async () => {
  const proof = new FeedProof()
  assert.equal(await prove(proof, () => Promise.reject(new Error('no answer'))), false)
  proof.hear('first')
  assert.equal(proof.remembered, 0)
})
