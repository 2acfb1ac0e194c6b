import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { resolved, tunnelAddress } from './facts.ts'
import { shareFleet } from './installed.ts'
import { addShop, asClient, heard, page } from './shop.ts'
import { onHosts } from './site.ts'
import { visiting } from './visitor.ts'

const DOMAIN = 'shop.lan'

const started = shareFleet({
  name: 'rtr',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'web.test'], isOnLan: true },
    { name: 'edge', roles: ['database'], isOnLan: true },
    { name: 'spare', roles: ['app-prod'] },
    { name: 'guest', roles: ['app-prod'] },
  ],
})

test(
  'a page of a Node is opened through the Router of its Cluster, which is replaced under requests of which none is lost, also by the Node of the page itself [FW-031, CLU-009, CLU-013, CLU-022, CLU-023, CLU-026, RTX-043, RTX-047, RTX-048, RTX-056, RTX-089, RTX-097, RTX-109]',
  onHosts,
  async (context) => {
    const fleet = started()
    const [web, edge, spare, guest] = ['web', 'edge', 'spare', 'guest'].map(fleet.node)
    assert.ok(web && edge && spare && guest)
    await addShop(fleet, context, web)
    await fleet.record('cluster:create', 'office', 'lan')
    for (const node of [web, edge, spare]) await fleet.record('cluster:node:attach', 'office', node.name)
    await fleet.record('cluster:router:set', 'office', edge.name)
    await fleet.record('cluster:update', 'office', '--state', 'active')

    const began = performance.now()
    const made = await fleet.record('instance:create', 'shop', web.name, 'default')
    assert.deepEqual([made['status'], made['url']], ['active', `https://${DOMAIN}`])
    assert.match(await page(guest, DOMAIN), /^200 .*PHP 8 for shop\.lan/)
    context.diagnostic(`created and answered in ${(performance.now() - began).toFixed(0)} ms`)
    assert.equal(await resolved(guest, DOMAIN), await tunnelAddress(fleet, edge.name))
    // The Router reaches the workload on the LAN, as a member reaches the Router, and nobody else gets in.
    assert.match(await page(web, DOMAIN, '/', edge.address), /^200 .*PHP 8 for shop\.lan/)
    for (const { address } of [web, edge]) assert.match(await page(guest, DOMAIN, '/', address), /^no answer/)
    // Caddy 2.6 by itself would redirect at one of its two addresses.
    for (const [host, address] of [
      [guest, DOMAIN],
      [web, edge.address],
    ] as const)
      assert.match(await redirect(host, address), /^HTTP\/1\.1 308 [^]*Location: https:\/\/shop\.lan\/x\r\n/)
    assert.doesNotMatch(await redirect(guest, edge.address), /^HTTP/)
    const clientOf = async (host: Host): Promise<string> => asClient(await tunnelAddress(fleet, host.name))
    assert.equal(await heard(guest, DOMAIN), await clientOf(guest), 'through the Router')
    assert.equal(await heard(web, DOMAIN, edge.address), asClient(web.address), 'on the LAN')
    const webAddress = await tunnelAddress(fleet, web.name)
    assert.equal(await heard(guest, DOMAIN, webAddress), await clientOf(guest), 'past the Router')
    const keyOf = (host: Host, scope: string) =>
      host.run(['openssl', 'pkey', '-in', `/etc/fleet/certificates/${scope}/leaf.pem`, '-pubout'])
    const ownKey = await keyOf(web, `app-instance-${String(made['id'])}`)
    assert.notEqual(await keyOf(edge, 'route-1-router'), ownKey, 'Router and workload have keys of their own')

    for (const [next, previous] of [
      [web, edge],
      [spare, web],
    ] as const) {
      const visits = await visiting(guest, `https://${DOMAIN}/plain.txt`, () =>
        fleet.record('cluster:router:set', 'office', next.name),
      )
      context.diagnostic(`${next.name}: ${visits.answered} answered, ${visits.repeated} repeated`)
      assert.deepEqual(visits.failures, [], `${previous.name} to ${next.name}: ${visits.answered} answered`)
      assert.match(await page(guest, DOMAIN), /^200 .*PHP 8 for shop\.lan/)
      assert.equal(await resolved(guest, DOMAIN), await tunnelAddress(fleet, next.name))
      assert.equal(await heard(guest, DOMAIN), await clientOf(guest), `through ${next.name}`)
      assert.equal(await heard(guest, DOMAIN, webAddress), await clientOf(guest), `past ${next.name}`)
      const left = await previous.run(['sh', '-c', 'ls /etc/fleet/certificates; cat /etc/caddy/Caddyfile'])
      assert.doesNotMatch(left, /route-1-router|# router /)
    }

    assert.equal(await heard(edge, DOMAIN, webAddress), await clientOf(edge), 'it is no Router any more')
    const spareAddress = await tunnelAddress(fleet, spare.name)
    await fleet.record('instance:destroy', DOMAIN, '--yes', '--force')
    assert.match(await page(guest, DOMAIN, '/', spareAddress), /^no answer/)
    for (const host of [web, edge, spare])
      assert.doesNotMatch(await host.run(['ls', '/etc/fleet/certificates']), /app-instance|route-/)
  },
)

/** What port 80 of an address answers for the domain. */
async function redirect(host: Host, address: string): Promise<string> {
  const sent = `printf 'GET /x HTTP/1.1\\r\\nHost: ${DOMAIN}\\r\\nConnection: close\\r\\n\\r\\n'`
  const asked = `exec 3<>/dev/tcp/${address}/80 && ${sent} >&3 && timeout 5 cat <&3`
  return (await host.attempt(['timeout', '10', 'bash', '-c', asked])).stdout
}
