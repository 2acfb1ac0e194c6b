import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { type Found, issuesIn, repair, reportOf } from './doctor-report.ts'
import { waitFor } from '../../lab/wait.ts'
import { shareFleet } from './installed.ts'
import { addShop, page } from './shop.ts'
import { onHosts } from './site.ts'

const DOMAIN = 'shop.lan'

const started = shareFleet({
  name: 'dnr',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'web.test'] },
    { name: 'edge', roles: ['app-prod'] },
  ],
})

const LIVE = '"$(readlink -f /etc/caddy/Caddyfile)"'
const CATALOG = '/var/lib/fleet/private-dns/catalog.json'

interface Harm {
  readonly on: 'web' | 'edge' | 'gateway'
  /** What a person does there, as root. */
  readonly line: string
  /** Whose command is followed. */
  readonly code: string
  /** Codes that come with it, without the Node. */
  readonly with?: readonly string[]
}

const HARMS: readonly Harm[] = [
  {
    on: 'web',
    line: `sed -i 's/encode zstd gzip/encode gzip/' ${LIVE}; systemctl reload caddy`,
    code: 'instance.workload_caddy_mismatch',
    with: ['role.caddy_build_drift'],
  },
  {
    on: 'web',
    line: `rm /etc/caddy/Caddyfile; printf ':8099 {\\n\\trespond "mine"\\n}\\n' >/etc/caddy/Caddyfile; systemctl reload caddy`,
    code: 'instance.workload_caddy_mismatch',
    with: ['role.caddy_build_drift'],
  },
  {
    on: 'edge',
    line: `sed -i 's/round_robin/first/' ${LIVE}; systemctl reload caddy`,
    code: 'instance.router_caddy_mismatch',
    with: ['role.caddy_build_drift'],
  },
  {
    on: 'edge',
    line: `sed -i 's/reverse_proxy [0-9.]*{/reverse_proxy 10.44.200.9{/' ${LIVE}; systemctl reload caddy`,
    code: 'instance.target_set_mismatch',
    with: ['role.caddy_build_drift'],
  },
  {
    on: 'web',
    line: 'rm -r /etc/fleet/certificates/app-instance-*',
    code: 'instance.private_certificate_mismatch',
  },
  {
    on: 'edge',
    line: 'rm -r /etc/fleet/certificates/route-*-router',
    code: 'instance.private_certificate_mismatch',
  },
  {
    on: 'web',
    line: `sed -i 's/^APP_URL=.*/APP_URL=http:\\/\\/localhost/' /home/fleet/apps/shop/default/.env`,
    code: 'instance.laravel_url_mismatch',
  },
  {
    on: 'web',
    line: 'rm /etc/php/*/fpm/pool.d/fleet-*; systemctl reload "php*-fpm.service"',
    code: 'instance.php_fpm_association_missing',
  },
  {
    on: 'web',
    line: 'systemctl stop "php*-fpm.service"',
    code: 'role.services_inactive',
    with: ['instance.php_fpm_association_missing'],
  },
  {
    on: 'gateway',
    line: `sed -i 's/"${DOMAIN}": *"[0-9.]*"/"${DOMAIN}":"10.44.200.9"/' ${CATALOG}`,
    code: 'instance.private_dns_mismatch',
    with: ['role.dns_projection_mismatch'],
  },
]

test(
  'what people do to the web server, its certificates, pools, and names is found by its code, and repaired by the command that Doctor names; a hand edit is kept',
  onHosts,
  async (context) => {
    const fleet = started()
    const [web, edge] = [fleet.node('web'), fleet.node('edge')]
    const hosts: Readonly<Record<Harm['on'], Host>> = { web, edge, gateway: fleet.gateway.host }
    await addShop(fleet, context, web)
    await fleet.record('cluster:create', 'office', 'lan')
    for (const node of [web, edge]) await fleet.record('cluster:node:attach', 'office', node.name)
    await fleet.record('cluster:router:set', 'office', edge.name)
    await fleet.record('cluster:update', 'office', '--state', 'active')
    await fleet.record('instance:create', 'shop', web.name, 'default')
    const all = async () => issuesIn(await reportOf(fleet))
    const before = new Set((await all()).map(({ node, code }) => `${node} ${code}`))
    const found = async () => (await all()).filter(({ node, code }) => !before.has(`${node} ${code}`))
    for (const { on, line, code, with: others = [] } of HARMS) {
      await hosts[on].run(['sh', '-c', line])
      // An answer of the private DNS may be kept for as long as it says.
      await web.run(['resolvectl', 'flush-caches'])
      const issues = await found()
      const codes = [...new Set(issues.map((issue) => issue.code))].toSorted()
      assert.deepEqual(codes, [code, ...others].toSorted(), line)
      await repair(
        fleet,
        issues.find((issue) => issue.code === code),
      )
      for (const host of [web, edge]) await host.run(['resolvectl', 'flush-caches'])
      let left: readonly Found[] = []
      await waitFor(15, async () => ((left = await found()).length === 0 ? true : undefined))
      assert.deepEqual(left, [], `after ${code}`)
      assert.match(await page(edge, DOMAIN), /^200 .*PHP 8 for shop\.lan/, `after ${code}`)
      context.diagnostic(`${code} on ${on}: found and repaired`)
    }
    assert.match(
      await web.run(['sh', '-c', 'cat /etc/caddy/fleet-backups/*/Caddyfile']),
      /encode gzip[^]*mine|mine[^]*encode gzip/,
    )
  },
)
