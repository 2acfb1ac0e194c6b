import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normalizeDomain } from '@fleet/contract'
import { isReserved, upstreamOrRefuse } from '#/routes/rules.ts'

test('a domain is stored in one spelling; what is none is refused [RTE-011, RTX-008]', () => {
  assert.equal(normalizeDomain('Example.TEST.'), 'example.test')
  assert.equal(normalizeDomain('a-1.b2.example'), 'a-1.b2.example')
  assert.equal(normalizeDomain('xn--bcher-kva.example'), 'xn--bcher-kva.example')
  const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`
  assert.equal(normalizeDomain(longest), longest)
  for (const text of [
    'a b',
    '',
    '.',
    'single',
    '-a.test',
    'a-.test',
    'a..test',
    '.a.test',
    'a_b.test',
    'bücher.test',
    '*.test',
    '10.0.0.1',
    'a.test..',
    `${longest}e`,
    `${'a'.repeat(64)}.test`,
    'https://a.test',
    'a.test/x',
    'a.test:80',
    'a.test\n',
  ])
    assert.equal(normalizeDomain(text), undefined, text)
})

test('an upstream is HTTP on the loopback of the Node, in one spelling [RTE-087, RTE-160]', () => {
  const spelled = [
    'http://127.0.0.1:3000',
    'http://LOCALHOST:80/',
    'http://[::1]:8025',
    'http://::1:8025',
    'http://localhost',
  ]
  assert.deepEqual(spelled.map(upstreamOrRefuse), [
    'http://127.0.0.1:3000',
    'http://localhost:80',
    'http://[::1]:8025',
    'http://[::1]:8025',
    'http://localhost:80',
  ])
  for (const text of [
    'http://10.0.0.1:80',
    'https://127.0.0.1:443',
    'http://127.0.0.1:0',
    'http://127.0.0.1:65536',
    'http://127.0.0.1:80/path',
    'http://user@127.0.0.1:80',
    'http://127.0.0.1.example:80',
    'http://127.0.0.2:80',
    '127.0.0.1:80',
    'http://127.0.0.1:80?x',
    `http://127.0.0.1:80${'/'.repeat(300)}`,
  ])
    assert.throws(() => upstreamOrRefuse(text), { code: 'route.upstream_invalid', status: 422 }, text)
})

test('the names of five services below the private suffix are of Fleet itself [RTE-074]', () => {
  const own = ['gateway', 'metrics', 'websocket', 'reverb', 'analytics', 'collector.cli-proxy-api']
  assert.ok(own.every((name) => isReserved(`${name}.fleet`, 'fleet')))
  assert.equal(isReserved('cli-proxy-api.fleet', 'fleet'), false)
  assert.equal(isReserved('gateway.other', 'fleet'), false)
  assert.equal(isReserved('gateway.fleet', undefined), false)
})
