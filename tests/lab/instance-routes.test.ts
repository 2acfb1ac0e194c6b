import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resolved, tunnelAddress } from './facts.ts'
import { shareFleet } from './installed.ts'
import { addShop, page } from './shop.ts'
import { onHosts } from './site.ts'

const started = shareFleet({
  name: 'irt',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'irt.test'] },
    { name: 'guest', roles: ['app-prod'] },
  ],
})

test(
  'an Instance of a PHP Project is opened from another Node under its domain over a certificate of the fleet, and goes with it [RTE-001, RTE-005, RTE-035, RTX-021, RTX-030, RTX-085, RTX-097, SRC-010]',
  onHosts,
  async (context) => {
    const fleet = started()
    const [web, guest] = [fleet.node('web'), fleet.node('guest')]
    await addShop(fleet, context, web)
    const began = performance.now()
    const made = await fleet.record('instance:create', 'shop', web.name, 'default')
    context.diagnostic(`created in ${(performance.now() - began).toFixed(0)} ms`)
    assert.deepEqual([made['status'], made['url']], ['active', 'https://shop.irt.test'])
    assert.match(await page(guest, 'shop.irt.test'), /^200 .*PHP 8 for shop\.irt\.test/)
    context.diagnostic(`created and answered in ${(performance.now() - began).toFixed(0)} ms`)
    assert.equal(await resolved(guest, 'shop.irt.test'), await tunnelAddress(fleet, web.name))
    assert.match(await page(guest, 'shop.irt.test', '/plain.txt'), /^200 .*plain/)

    const checkout = String(made['checkout_path'])
    assert.match(await web.run(['cat', `${checkout}/.env`]), /^APP_URL=https:\/\/shop\.irt\.test$/m)
    for (const hidden of ['.env', '.git/config', 'composer.json'])
      assert.notEqual(
        (await web.attempt(['runuser', '-u', 'caddy', '--', 'cat', `${checkout}/${hidden}`])).status,
        0,
      )
    for (const path of ['/.env', '/../.env', '/%2e%2e/.env', '/.git/config'])
      assert.doesNotMatch(await page(guest, 'shop.irt.test', path), /APP_NAME|\[core\]/)

    const { id } = await fleet.record('instance:resolve', 'shop.irt.test')
    assert.equal(id, made['id'])
    await fleet.record('env:import', 'shop.irt.test')
    assert.equal((await fleet.record('env:sync', 'shop.irt.test'))['operation'], 'sync')
    assert.match(await web.run(['cat', `${checkout}/.env`]), /APP_URL="?https:\/\/shop\.irt\.test"?/)

    const address = await tunnelAddress(fleet, web.name)
    await fleet.record('instance:destroy', 'shop.irt.test', '--yes', '--force')
    assert.match(await page(guest, 'shop.irt.test', '/', address), /^no answer/)
    assert.equal((await web.run(['ls', '/etc/fleet/certificates'])).includes('app-instance-'), false)
    assert.equal((await web.attempt(['sh', '-c', 'ls /run/php | grep orbit-app-instance'])).status, 1)
  },
)
