import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGitServer } from '@fleet/testing/git-server'
import { resolved, tunnelAddress } from './facts.ts'
import { shareFleet } from './installed.ts'
import { onHosts } from './site.ts'
import { startVisits } from './visitors.ts'
import { trust } from './trust.ts'

const started = shareFleet({
  name: 'rpl',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'rpl.test'] },
    { name: 'guest', roles: ['app-prod'] },
  ],
})

const SHOP = {
  artisan: '',
  'composer.json': '{"require":{"php":">=8.1","laravel/framework":"*"}}',
  '.env.example': 'APP_NAME=shop\nAPP_URL=http://localhost\n',
  'public/index.php': '<?php echo "served by PHP " . PHP_MAJOR_VERSION;',
}

const [OLD, NEW] = ['old.rpl.example', 'new.rpl.example']

test(
  'the domain of an Instance changes under a stream of requests, and not one of them fails [RTE-050, RTX-027, RTX-028, RTX-033, RTX-043]',
  onHosts,
  async (context) => {
    const fleet = started()
    const [web, guest] = [fleet.node('web'), fleet.node('guest')]
    const git = await startGitServer(['shop'], fleet.lab.addresses.machine)
    context.after(() => git[Symbol.asyncDispose]())
    git.commit('shop', 'main', SHOP)
    await trust(git.caFile, 'git', fleet.gateway.host, web)
    await fleet.record(
      'project:create',
      'shop',
      git.urlOf('shop'),
      '--type',
      'laravel-app',
      '--root',
      'public',
    )
    const made = await fleet.record('instance:create', 'shop', web.name, 'default', '--domain', OLD)
    const [route] = await fleet.records('route:list')
    assert.deepEqual([route?.['domain'], route?.['status']], [OLD, 'active'])

    const end = await startVisits(guest, [OLD, NEW], 'served by PHP 8')
    const began = performance.now()
    const replaced = await fleet.record('route:update', String(route?.['id']), '--domain', NEW)
    context.diagnostic(`changed in ${(performance.now() - began).toFixed(0)} ms`)
    const visits = await end()
    context.diagnostic(JSON.stringify(visits))
    for (const domain of [OLD, NEW]) {
      assert.deepEqual(visits[domain]?.failures, [], domain)
      assert.ok((visits[domain]?.sent ?? 0) > 50, `${domain} was hardly asked`)
    }
    const bothSeconds = (visits[OLD]?.lastSeconds ?? 0) - (visits[NEW]?.firstSeconds ?? Infinity)
    assert.ok(bothSeconds > -1, 'the new domain came after the old one was gone')

    assert.deepEqual([replaced['domain'], replaced['status']], [NEW, 'active'])
    assert.deepEqual(
      (await fleet.records('route:list')).map(({ id, domain }) => [id, domain]),
      [[replaced['id'], NEW]],
    )
    assert.equal(await resolved(guest, OLD), undefined)
    assert.equal(await resolved(guest, NEW), await tunnelAddress(fleet, web.name))
    assert.match(
      await web.run(['cat', `${String(made['checkout_path'])}/.env`]),
      /^APP_URL=https:\/\/new\.rpl\.example$/m,
    )
    const leaves = (await web.run(['ls', '/etc/fleet/certificates']))
      .split('\n')
      .filter((name) => name.startsWith('app-instance-'))
    assert.ok(
      leaves.length > 0 && leaves.every((name) => !name.includes('hostname-change')),
      leaves.join(' '),
    )
  },
)
