import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type NamedHosts, ServedHosts } from './served-hosts.ts'

const hosts = new ServedHosts(['gateway.fleet', 'Fleet.Example', '2001:db8::1'])

const fault = (
  headers: Readonly<Record<string, string>>,
  localAddress: string | undefined = '10.44.0.1',
  further: Partial<NamedHosts> = {},
) =>
  hosts.faultOf({
    headers,
    rawHeaders: Object.entries(headers).flat(),
    url: '/',
    socket: { localAddress },
    ...further,
  } as unknown as NamedHosts) // What is read of a request.

test('a request names one of the hosts, in any case, with a port or a last dot, or the address that it came to', () => {
  for (const host of [
    'gateway.fleet',
    'GATEWAY.fleet:8443',
    'gateway.fleet.',
    'fleet.example',
    '[2001:db8::1]:8443',
    '[2001:0DB8::1]',
    '10.44.0.1',
    '10.44.0.1:443',
  ])
    assert.equal(fault({ ':authority': host }), undefined, host)
  assert.equal(fault({ host: 'gateway.fleet' }, '::ffff:10.44.0.1'), undefined)
  assert.equal(fault({ host: '10.44.0.1' }, '::ffff:10.44.0.1'), undefined)
  assert.equal(fault({}), undefined)
})

test('another host is foreign, also beside a known one, and what is none is unreadable', () => {
  for (const headers of [
    { ':authority': 'other.fleet' },
    { host: '10.44.0.2' },
    { ':authority': 'gateway.fleet', host: 'other.fleet' },
    { ':authority': 'other.fleet', host: 'gateway.fleet' },
  ])
    assert.equal(fault(headers), 'foreign', JSON.stringify(headers))
  for (const host of [
    '',
    'a b',
    'gateway.fleet:port',
    'gateway.fleet:123456',
    'user@gateway.fleet',
    '2001:db8::1',
    '[1:2]',
  ])
    assert.equal(fault({ host }), 'unreadable', host)
})

test('a request that names two hosts is unreadable, and one of a foreign host in its target is foreign', () => {
  const headers = { host: 'gateway.fleet' }
  for (const other of ['other.fleet', 'gateway.fleet'])
    assert.equal(
      fault(headers, undefined, { rawHeaders: ['Host', 'gateway.fleet', 'HOST', other] }),
      'unreadable',
    )
  assert.equal(fault(headers, undefined, { rawHeaders: ['Host', 'gateway.fleet', 'X-A', 'host'] }), undefined)
  for (const [url, expected] of [
    ['https://gateway.fleet/api', undefined],
    ['HTTPS://GATEWAY.fleet:8443?a=https://other.fleet/', undefined],
    ['https://other.fleet/api', 'foreign'],
    ['http://user@gateway.fleet/', 'unreadable'],
    ['/api?to=https://other.fleet/', undefined],
    ['*', undefined],
  ] as const)
    assert.equal(fault(headers, undefined, { url }), expected, url)
})
