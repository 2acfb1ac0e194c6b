import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { type GitServer, startGitServer } from '@fleet/testing/git-server'
import type { Host } from '../../lab/index.ts'
import { resolved, tunnelAddress } from './facts.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({
  name: 'irt',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'irt.test'] },
    { name: 'guest', roles: ['app-prod'] },
  ],
})

/** What Fleet looks at in a Laravel source, and a page that needs PHP. */
const SHOP = {
  artisan: '',
  'composer.json': '{"require":{"php":">=8.1","laravel/framework":"*"}}',
  '.env.example': 'APP_NAME=shop\nAPP_URL=http://localhost\n',
  'public/index.php': '<?php echo "PHP " . PHP_MAJOR_VERSION . " for " . $_SERVER["HTTP_HOST"];',
  'public/plain.txt': 'plain',
}

async function trust(host: Host, git: GitServer): Promise<void> {
  copyFileSync(git.caFile, join(host.root, 'usr/local/share/ca-certificates/git.crt'))
  await host.run(['update-ca-certificates'])
}

async function project(fleet: InstalledFleet, context: TestContext): Promise<GitServer> {
  const git = await startGitServer(['shop'], fleet.lab.addresses.machine)
  context.after(() => git[Symbol.asyncDispose]())
  git.commit('shop', 'main', SHOP)
  for (const host of [fleet.gateway.host, fleet.node('web')]) await trust(host, git)
  await fleet.record('project:create', 'shop', git.urlOf('shop'), '--type', 'laravel-app', '--root', 'public')
  return git
}

/** Status and body of a page as a visitor on the Node gets it: its own resolver, its own trust. */
async function page(host: Host, domain: string, path = '/', address = domain): Promise<string> {
  const request = `printf 'GET ${path} HTTP/1.1\\r\\nHost: ${domain}\\r\\nConnection: close\\r\\n\\r\\n'; sleep 1`
  const verified = `openssl s_client -quiet -verify_return_error -verify_hostname ${domain} -servername ${domain}`
  const line = `{ ${request}; } | timeout 10 ${verified} -connect ${address}:443 2>/dev/null`
  const { stdout } = await host.attempt(['sh', '-c', line])
  const status = /^HTTP\/1\.1 (\d+)/.exec(stdout)?.[1] ?? 'no answer'
  const body = stdout.slice(stdout.indexOf('\r\n\r\n') + 4)
  return `${status} ${body.replaceAll(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$|\r\n$/g, '')}`
}

test(
  'an Instance of a PHP Project is opened from another Node under its domain over a certificate of the fleet, and goes with it [RTE-001, RTE-005, RTE-035, RTX-021, RTX-030, RTX-085, RTX-097, SRC-010]',
  onHosts,
  async (context) => {
    const fleet = started()
    const [web, guest] = [fleet.node('web'), fleet.node('guest')]
    await project(fleet, context)
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
