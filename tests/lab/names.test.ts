import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { addressFrom } from './dns-question.ts'
import { startInstalledFleet } from './installed.ts'
import { onHosts } from './site.ts'

const GATEWAY_UNIT = 'fleet-gateway.service'

// A machine that other work keeps busy takes three times as long.
test('names of an installed fleet', { ...onHosts, timeout: 600_000 }, async (context) => {
  const nodes = [{ name: 'web', roles: ['app-dev'], words: ['--tld', 'web'] }] as const
  await using fleet = await startInstalledFleet({ name: 'names', nodes })
  const { gateway } = fleet
  const web = fleet.node('web')
  const [hub, node] = [
    await fleet.record('node:show', 'gateway'),
    await fleet.record('node:show', fleet.nameOf('web')),
  ].map(({ wireguard_ip }) => String(wireguard_ip))
  assert.ok(hub && node)

  await context.test('a Node finds the gateway by its name, through its own resolver [GW-001]', async () => {
    assert.match(await web.run(['getent', 'ahostsv4', 'gateway.fleet']), new RegExp(`^${hub} `))
    assert.equal(await addressFrom(web, hub, 'shop.web'), node)
  })

  await context.test('the system store of every Node holds the root of the fleet [RTX-099]', async () => {
    for (const host of [web, gateway.host]) {
      const root = readFileSync(join(host.root, 'usr/local/share/ca-certificates/fleet-gateway.crt'), 'utf8')
      const bundle = readFileSync(join(host.root, 'etc/ssl/certs/ca-certificates.crt'), 'utf8')
      assert.equal(bundle.split(root.trim()).length, 2)
    }
  })

  await context.test('answers go on while the gateway is stopped', async () => {
    await gateway.host.run(['systemctl', 'stop', GATEWAY_UNIT])
    assert.equal(await addressFrom(web, hub, 'gateway.fleet'), hub)
    assert.equal(await addressFrom(web, hub, 'shop.web', { over: 'tcp' }), node)
    await gateway.host.run(['systemctl', 'restart', 'fleet-private-dns.service'])
    assert.equal(await addressFrom(web, hub, 'shop.web'), node)
    await gateway.host.run(['systemctl', 'start', GATEWAY_UNIT])
  })
})
