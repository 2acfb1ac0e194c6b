import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Admission } from './admission.ts'
import { normalAddress } from './address.ts'
import { isCrossSite } from './origin.ts'
import { clientText, requestIdOf } from './request-id.ts'

test('a page of another origin is distinguished from scripts and from the own console', () => {
  assert.equal(isCrossSite({}, 'gateway.fleet:8443'), false)
  assert.equal(isCrossSite({ origin: 'https://gateway.fleet:8443' }, 'gateway.fleet:8443'), false)
  assert.equal(
    isCrossSite({ 'sec-fetch-site': 'same-origin', origin: 'https://gateway.fleet' }, 'gateway.fleet'),
    false,
  )
  for (const origin of [
    'http://gateway.fleet:8443',
    'https://evil.example',
    'null',
    'not a url',
    'https://gateway.fleet:1',
  ])
    assert.equal(isCrossSite({ origin }, 'gateway.fleet:8443'), true)
  assert.equal(isCrossSite({ 'sec-fetch-site': 'same-site' }, 'gateway.fleet'), true)
})

test('a drain refuses what is new and waits for requests in flight', async () => {
  const admission = new Admission()
  const { leave } = admission.enter('10.44.0.2')
  let drained = false
  const drain = admission.drain().then(() => (drained = true))
  assert.throws(() => admission.enter('10.44.0.2'), { code: 'http.draining' })
  await Promise.resolve()
  assert.equal(drained, false)
  leave()
  await drain
})

test('requests above the limit are asked to retry', () => {
  const admission = new Admission()
  const places = Array.from({ length: 2048 }, (_, index) => admission.enter(`10.44.0.${index % 8}`))
  assert.throws(() => admission.enter('10.44.0.9'), { code: 'http.busy' })
  places[0]?.leave()
  places[0]?.leave()
  admission.enter('10.44.0.9')
  assert.throws(() => admission.enter('10.44.0.9'), { code: 'http.busy' })
})

test('one Node cannot take the places of the others', () => {
  const admission = new Admission()
  const places = Array.from({ length: 512 }, () => admission.enter('10.44.0.2'))
  assert.throws(() => admission.enter('10.44.0.2'), { code: 'http.busy' })
  const other = admission.enter('10.44.0.3')
  places[0]?.leave()
  admission.enter('10.44.0.2')
  other.leave()
})

test('a request whose body has not arrived has no place, and is still waited for by a stop', async () => {
  const admission = new Admission()
  const slow = admission.enter('10.44.0.9')
  const arrives = Promise.withResolvers<string>()
  const body = slow.without(() => arrives.promise)
  const places = Array.from({ length: 2048 }, (_, index) => admission.enter(`10.44.0.${index % 8}`))
  arrives.resolve('body')
  await assert.rejects(body, { code: 'http.busy' })
  for (const { leave } of places) leave()
  assert.equal(await slow.without(() => Promise.resolve('body')), 'body')
  let drained = false
  const drain = admission.drain().then(() => (drained = true))
  await Promise.resolve()
  assert.equal(drained, false)
  slow.leave()
  await drain
})

test('an address has one form, however the socket writes it [ACC-001]', () => {
  assert.equal(normalAddress('::ffff:127.44.0.11'), '127.44.0.11')
  assert.equal(normalAddress('FD00:0:0::1'), 'fd00::1')
  assert.equal(normalAddress(undefined), '')
  assert.equal(normalAddress('nonsense'), '')
})

test('only a UUID is taken as a request id, only short printable text as a client name [GW-015, GW-016]', () => {
  const id = '5f0c954e-56bd-4a1e-8f56-0a2b8a2a3c11'
  for (const own of [id, id.toUpperCase(), '11111111-2222-3333-4444-555555555555', id.replaceAll(/\w/g, '0')])
    assert.equal(
      requestIdOf(own, () => 'fresh'),
      own,
    )
  for (const other of [undefined, '', '1', `${id}0`, `{${id}}`, id.replaceAll('-', ''), [id, id]])
    assert.equal(
      requestIdOf(other, () => 'fresh'),
      'fresh',
    )
  assert.equal(clientText('cli'), 'cli')
  for (const other of ['', 'x'.repeat(65), 'a\nb', 'ü']) assert.equal(clientText(other), undefined)
})
