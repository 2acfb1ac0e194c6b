import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doctorReport } from '@fleet/contract'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { AUTHORITY, publicName, serveAcme, trustAcme, useAcme } from './acme-server.ts'
import { FLEET_ROOT, shownBy } from './browser.ts'
import { issuesIn, repair } from './doctor-report.ts'
import { reaches, resolved, tunnelAddress } from './facts.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { addShop, asClient, heard, page } from './shop.ts'
import { onHosts } from './site.ts'

const DOMAIN = 'shop.example'
/** What a browser shows of it. */
const SHOWN = /PHP 8 for shop\.example/
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

const CERTIFICATES = '/var/lib/caddy/.local/share/caddy/certificates'
const HAND_EDIT = `f=$(readlink -f /etc/caddy/Caddyfile)`
/** What a person does on the ingress, and what Doctor reports of it. */
const HARMS: ReadonlyArray<readonly [line: string, codes: readonly string[]]> = [
  [
    `${HAND_EDIT}; sed -i '/^# ingress /,/lb_policy/s/round_robin/first/' "$f"; systemctl reload caddy`,
    ['instance.public_ingress_mismatch', 'role.caddy_build_drift'],
  ],
  [
    'ufw --force delete $(ufw status numbered | sed -n "s/^\\[ *\\([0-9]*\\)\\].*fleet:ingress-https.*/\\1/p" | head -n 1)',
    ['instance.public_firewall_mismatch', 'role.firewall_projection_mismatch'],
  ],
  [
    `rm -r ${CERTIFICATES}/*/${DOMAIN}; systemctl stop caddy`,
    ['instance.public_tls_mismatch', 'role.services_inactive', 'role.services_inactive'],
  ],
]

/** Each is found on the ingress, and cleared by the command that its code names. */
async function assertRepaired(fleet: InstalledFleet, gate: Host): Promise<void> {
  const all = async () => issuesIn(doctorReport.parse(await fleet.record('doctor', '--node', gate.name)))
  const before = new Set((await all()).map(({ code }) => code))
  const found = async () => (await all()).filter(({ code }) => !before.has(code))
  for (const [line, codes] of HARMS) {
    await gate.run(['sh', '-c', line])
    const issues = await found()
    assert.deepEqual(issues.map(({ code }) => code).toSorted(), codes)
    await repair(
      fleet,
      issues.find(({ code }) => code === codes[0]),
    )
    await waitFor(20, async () => ((await found()).length === 0 ? true : undefined))
    assert.deepEqual(await found(), [], `after ${codes[0]}`)
  }
  assert.match(await gate.run(['sh', '-c', 'cat /etc/caddy/fleet-backups/*/Caddyfile']), /lb_policy first/)
}

test(
  'a browser on a member shows a page over a certificate of the fleet, and one outside over a certificate of an ACME server, through an ingress that is alone and one that is the Router, repaired after what people do to it, until it is private again [DOC-017, DOC-020, DOC-022, FW-029, RTX-055, RTX-056]',
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
    const asked = performance.now()
    const made = await fleet.record('instance:create', 'shop', web.name, 'default', '--domain', DOMAIN)
    assert.match(await page(inner, DOMAIN), ANSWER)
    context.diagnostic(`created and answered in ${(performance.now() - asked).toFixed(0)} ms`)
    assert.match(await shownBy(inner, `https://${DOMAIN}/`, FLEET_ROOT), SHOWN, 'to a member')
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
    const url = `https://${DOMAIN}/`
    assert.match(await shownBy(outside, url, `/${AUTHORITY}`), SHOWN, 'over the ACME certificate')
    assert.doesNotMatch(await shownBy(outside, url), SHOWN, 'one that does not know the server refuses it')
    assert.deepEqual(await isOpen(outside, inner.address), [false, false])
    const redirect = `exec 3<>/dev/tcp/${gate.address}/80 && printf 'GET /x HTTP/1.1\\r\\nHost: ${DOMAIN}\\r\\nConnection: close\\r\\n\\r\\n' >&3 && timeout 5 cat <&3`
    assert.match(
      await outside.run(['bash', '-c', redirect]),
      /^HTTP\/1\.1 308 [^]*Location: https:\/\/shop\.example\/x\r\n/,
    )
    // Members go to the Router, by the LAN where both are on it, over a certificate of the fleet.
    assert.equal(await resolved(web, DOMAIN), inner.address)
    assert.match(await page(web, DOMAIN), ANSWER)

    const clientOf = async (host: Host): Promise<string> => asClient(await tunnelAddress(fleet, host.name))
    assert.equal(await heard(outside, DOMAIN, gate.address), asClient(outside.address), 'of the ingress')
    // One that is neither Router nor ingress says so to each of them.
    for (const host of [inner, gate, web])
      assert.equal(
        await heard(web, DOMAIN, await tunnelAddress(fleet, host.name)),
        await clientOf(web),
        `straight to ${host.name}`,
      )

    await assertRepaired(fleet, gate)

    await fleet.record('cluster:router:set', 'city', gate.name)
    assert.match(await opens(outside, gate.address), ANSWER)
    assert.equal(
      await heard(outside, DOMAIN, gate.address),
      asClient(outside.address),
      'ingress and Router in one',
    )
    assert.equal(await resolved(inner, DOMAIN), await tunnelAddress(fleet, gate.name))
    assert.match(await page(inner, DOMAIN), ANSWER)

    await fleet.record('route:update', DOMAIN, '--publication', 'private')
    assert.deepEqual(await isOpen(outside, gate.address), [false, false])
    assert.match(await page(inner, DOMAIN), ANSWER)
    assert.doesNotMatch(await gate.run(['cat', '/etc/caddy/Caddyfile']), /acme_ca|# ingress /)
  },
)
