import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatEndpoint, hubEndpoint, parseEndpoint } from '#/network/endpoint.ts'

test('an endpoint is an IPv4 address, a name or an IPv6 address in brackets, with a port [NODE-046]', () => {
  for (const text of ['203.0.113.9:51820', 'vpn.example.com:1', 'localhost:65535', '[2001:db8::1]:51820'])
    assert.equal(formatEndpoint(parseEndpoint(text) ?? { host: '', port: 0 }), text)
})

test('a bare IPv6 address and other forms are no endpoint [NODE-046]', () => {
  const wrong = [
    'fe80::1:51820',
    '203.0.113.9',
    'host:0',
    'host:65536',
    'host:08',
    '[fe80::1]',
    '[host]:1',
    ':1',
    'a b:1',
  ]
  const more = [
    '203.0.113.999:1',
    '1.2.3:1',
    '[::1%eth0]:1',
    '-a:1',
    'a-:1',
    `${'a'.repeat(254)}:1`,
    'a:1\n',
    '[::g]:1',
  ]
  for (const text of [...wrong, ...more]) assert.equal(parseEndpoint(text), undefined, text)
})

const all = {
  override: 'own.example.com:1',
  stored: 'stored.example.com:2',
  hubHost: '203.0.113.9',
  hubPort: 51_820,
}
const chosen = (sources: Partial<typeof all> | Record<'override' | 'stored' | 'hubHost', null>) => {
  const endpoint = hubEndpoint({ ...all, ...sources })
  return endpoint && formatEndpoint(endpoint)
}

test('the override of the Node wins, then the stored endpoint, then the public host of the hub [NODE-049]', () => {
  assert.equal(hubEndpoint(all)?.host, 'own.example.com')
  assert.equal(hubEndpoint({ ...all, override: null })?.host, 'stored.example.com')
  assert.deepEqual(hubEndpoint({ ...all, override: null, stored: null }), {
    host: '203.0.113.9',
    port: 51_820,
  })
  assert.equal(chosen({ override: null, stored: null, hubHost: null }), undefined)
})

test('a public host that is an IPv6 address gets its brackets, and a malformed override hides nothing [NODE-049]', () => {
  const six = { ...all, override: null, stored: null, hubHost: '2001:db8::1' }
  assert.equal(formatEndpoint(hubEndpoint(six) ?? { host: '', port: 0 }), '[2001:db8::1]:51820')
  assert.equal(hubEndpoint({ ...all, override: 'fe80::1:51820' }), undefined)
})
