import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeRecord } from '@fleet/testing'
import { buildReport } from '#/web-server/failures.ts'
import { boundAddresses, settleSites, SiteConflict } from '#/web-server/rules.ts'
import type { Site } from '#/web-server/site.ts'

const site = (scope: string, domain: string, given: Partial<Site> = {}): Site => ({
  source: 'app-dev',
  scope,
  domain,
  listener: { kind: 'tcp', addresses: ['10.44.0.3'] },
  tls: { kind: 'leaf', file: `/etc/fleet/certificates/${scope}/leaf.pem` },
  handler: { kind: 'unavailable' },
  ...given,
})
const at = (address: string, port?: number): Partial<Site> => ({
  listener: { kind: 'tcp', addresses: [address, '10.44.9.9'], ...(port === undefined ? {} : { port }) },
})

test('a current site wins over a transitional one at the same place, whichever comes first [RTX-083]', () => {
  const current = site('app-instance-1', 'shop.test')
  const leaving = site('route-2-router', 'shop.test', { isTransitional: true })
  assert.deepEqual(settleSites([current, leaving]), [current])
  assert.deepEqual(settleSites([leaving, current]), [current])
  assert.deepEqual(settleSites([leaving]), [leaving])
})

test('two sites of one domain at one address and port are refused, both named [RTX-083]', () => {
  const pair = [site('app-instance-1', 'shop.test'), site('app-instance-2', 'shop.test')]
  assert.throws(
    () => settleSites(pair),
    (error) => {
      assert.ok(error instanceof SiteConflict)
      assert.deepEqual(error.sites, ['app-dev app-instance-1', 'app-dev app-instance-2'])
      assert.equal(
        error.message,
        'app-dev app-instance-1 and app-dev app-instance-2 both serve shop.test at 10.44.0.3 port 443',
      )
      return true
    },
  )
  const both = pair.map((one) => ({ ...one, isTransitional: true }))
  assert.throws(() => settleSites(both), SiteConflict)
  assert.throws(
    () => settleSites([site('a', 'shop.test', at('10.44.0.3')), site('b', 'shop.test', at('10.44.0.4'))]),
    SiteConflict,
  )
})

test('another domain, port, address or socket is another place', () => {
  const sites = [
    site('a', 'shop.test'),
    site('b', 'other.test'),
    site('c', 'shop.test', { listener: { kind: 'unix', path: '/run/one.sock' } }),
    site('d', 'shop.test', { listener: { kind: 'tcp', addresses: ['10.44.0.3'], port: 9103 } }),
    site('e', 'shop.test', { listener: { kind: 'tcp', addresses: ['10.44.0.4'] } }),
  ]
  assert.equal(settleSites(sites).length, sites.length)
  assert.deepEqual(boundAddresses(sites), ['10.44.0.3', '10.44.0.4'])
})

test('of the message of a failed build 2,000 bytes are shown, no half character among them, and a cut says so', () => {
  const shown = (message: string): string =>
    buildReport({ node: nodeRecord(), publisher: 'router', stage: 'validate', message }).details.message
  for (const whole of ['', 'x'.repeat(2000), 'é'.repeat(1000)]) assert.equal(shown(whole), whole)
  for (const unit of ['x', 'é', '€', '😀'])
    for (const before of ['', 'x', 'xx', 'xxx']) {
      const text = before + unit.repeat(2001)
      const cut = shown(text)
      assert.match(cut, /[^\uFFFD] … \(cut\)$/)
      const kept = cut.slice(0, -' … (cut)'.length)
      assert.ok(text.startsWith(kept))
      const bytes = Buffer.byteLength(cut)
      assert.ok(bytes <= 2000 && bytes + Buffer.byteLength(unit) > 2000, `${bytes}`)
    }
})
