import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServedHosts } from './served-hosts.ts'

const hosts = new ServedHosts(['gateway.fleet', 'Fleet.Example', '2001:db8::1'])

const fault = (headers: Readonly<Record<string, string>>, localAddress: string | undefined = '10.44.0.1') =>
  hosts.faultOf({ headers, socket: { localAddress } } as unknown as Parameters<typeof hosts.faultOf>[0]) // What is read of a request.

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
