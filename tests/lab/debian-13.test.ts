import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codesIn, reportOf } from './doctor-report.ts'
import { shareFleet } from './installed.ts'
import { addShop, page } from './shop.ts'
import { onHosts } from './site.ts'

const started = shareFleet({
  name: 'd13',
  nodes: [
    { name: 'web', roles: ['app-dev', 'database'], words: ['--tld', 'd13.test'], suite: 'trixie' },
    { name: 'guest', roles: [], words: [] },
  ],
})

test(
  'a Node of Debian 13 beside a gateway and a Node of another release serves PHP, has containers and Tools, is converged again, and Doctor finds no more than the age of its Caddy',
  onHosts,
  async (context) => {
    const fleet = started()
    const web = fleet.node('web')
    assert.match(await web.run(['cat', '/etc/os-release']), /^VERSION_CODENAME=trixie$/m)
    await addShop(fleet, context, web)
    const made = await fleet.record('instance:create', 'shop', web.name, 'default')
    assert.deepEqual([made['status'], made['url']], ['active', 'https://shop.d13.test'])
    assert.match(await page(fleet.node('guest'), 'shop.d13.test'), /^200 .*PHP 8 for shop\.d13\.test/)
    assert.match(await web.run(['docker', 'info', '--format', '{{.ServerVersion}}']), /^\d/)
    const tool = await fleet.record('tool:install', web.name, 'apt', 'jq')
    assert.equal(tool['status'], 'installed')
    assert.equal(await web.run(['jq', '-n', '1']), '1\n')
    await fleet.record('node:converge', web.name, '--force')
    assert.match(await page(fleet.node('guest'), 'shop.d13.test', '/plain.txt'), /^200 .*plain/)
    // Debian's Caddy serves, and Doctor says what it cannot do.
    assert.deepEqual(codesIn(await reportOf(fleet)), [`${web.name} role.caddy_version_unsupported`])
  },
)
