import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { publicName, serveAcme, trustAcme, useAcme } from './acme-server.ts'
import { reaches, resolved, tunnelAddress } from './facts.ts'
import { shareFleet } from './installed.ts'
import { addShop, page } from './shop.ts'
import { onHosts } from './site.ts'

const DOMAIN = 'shop.example'
const ANSWER = /^200 .*PHP 8 for shop\.example/

const started = shareFleet({
  name: 'pub',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'web.test'], isOnLan: true },
    { name: 'inner', roles: ['app-prod'], isOnLan: true },
    { name: 'gate', roles: ['app-prod'] },
  ],
})

/** Once the certificate is there; public authorities take their time, too. */
const opens = async (host: Host, address: string): Promise<string> => {
  const answered = async () => {
    const said = await page(host, DOMAIN, '/', address)
    return ANSWER.test(said) ? said : undefined
  }
  return (await waitFor(60, answered)) ?? page(host, DOMAIN, '/', address)
}

const isOpen = async (host: Host, address: string): Promise<readonly boolean[]> =>
  Promise.all([80, 443].map((port) => reaches(host, address, port)))

test(
  'somebody outside opens a page over a certificate of an ACME server, through an ingress that is alone and one that is the Router, until it is private again [FW-029, RTX-055, RTX-056]',
  onHosts,
  async (context) => {
    const fleet = started()
    const [web, inner, gate] = ['web', 'inner', 'gate'].map(fleet.node)
    assert.ok(web && inner && gate)
    const outside = await fleet.blank({ name: 'outside', roles: ['app-prod'] })
    await useAcme(fleet, await serveAcme(outside))
    await trustAcme(outside, outside, gate, inner, web)
    await publicName(outside, gate.address, DOMAIN)
    await addShop(fleet, context, web)
    await fleet.record('cluster:create', 'city')
    for (const node of [web, inner, gate]) await fleet.record('cluster:node:attach', 'city', node.name)
    await fleet.record('cluster:router:set', 'city', inner.name)
    await fleet.record('cluster:update', 'city', '--state', 'active')
    await fleet.record('node:role:add', gate.name, 'ingress')
    const made = await fleet.record('instance:create', 'shop', web.name, 'default', '--domain', DOMAIN)
    const sql = `UPDATE instances SET environment = 'production' WHERE id = ${String(made['id'])}`
    await fleet.gateway.host.run(['sqlite3', '/var/lib/fleet/gateway.sqlite', sql])
    assert.deepEqual(await isOpen(outside, gate.address), [false, false])

    const began = performance.now()
    const route = await fleet.record('route:update', DOMAIN, '--publication', 'public')
    const changed = performance.now()
    assert.equal(route['publication'], 'public')
    assert.match(await opens(outside, gate.address), ANSWER)
    context.diagnostic(
      `published in ${(changed - began).toFixed(0)} ms, answered outside ${(performance.now() - changed).toFixed(0)} ms later`,
    )
    assert.deepEqual(await isOpen(outside, gate.address), [true, true])
    assert.deepEqual(await isOpen(outside, inner.address), [false, false])
    const redirect = `exec 3<>/dev/tcp/${gate.address}/80 && printf 'GET /x HTTP/1.1\\r\\nHost: ${DOMAIN}\\r\\nConnection: close\\r\\n\\r\\n' >&3 && timeout 5 cat <&3`
    assert.match(
      await outside.run(['bash', '-c', redirect]),
      /^HTTP\/1\.1 308 [^]*Location: https:\/\/shop\.example\/x\r\n/,
    )
    // Members go to the Router, by the LAN where both are on it, over a certificate of the fleet.
    assert.equal(await resolved(web, DOMAIN), inner.address)
    assert.match(await page(web, DOMAIN), ANSWER)

    await fleet.record('cluster:router:set', 'city', gate.name)
    assert.match(await opens(outside, gate.address), ANSWER)
    assert.equal(await resolved(inner, DOMAIN), await tunnelAddress(fleet, gate.name))
    assert.match(await page(inner, DOMAIN), ANSWER)

    await fleet.record('route:update', DOMAIN, '--publication', 'private')
    assert.deepEqual(await isOpen(outside, gate.address), [false, false])
    assert.match(await page(inner, DOMAIN), ANSWER)
    assert.doesNotMatch(await gate.run(['cat', '/etc/caddy/Caddyfile']), /acme_ca|# ingress /)
  },
)
