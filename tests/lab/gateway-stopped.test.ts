import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { addressFrom } from './dns-question.ts'
import { giveProfile, reaches, resolved, tunnelAddress } from './facts.ts'
import { waitFor } from '../../lab/wait.ts'
import { shareFleet } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({
  name: 'stop',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'web.test'] },
    { name: 'api', roles: ['app-dev'], words: ['--tld', 'api.test'] },
  ],
})

/** Process id of a service, which another start would change. */
const processOf = async (host: Host, unit: string): Promise<string> => {
  const id = (await host.run(['systemctl', 'show', '--property=MainPID', '--value', unit])).trim()
  assert.notEqual(id, '0', `${unit} does not run on ${host.name}`)
  return id
}

test('a Node finds the gateway by its name, through its own resolver [GW-001]', onHosts, async () => {
  const fleet = started()
  const web = fleet.node('web')
  const hub = await tunnelAddress(fleet, 'gateway')
  assert.equal(await resolved(web, 'gateway.fleet'), hub)
  assert.equal(await addressFrom(web, hub, 'shop.web.test'), await tunnelAddress(fleet, web.name))
})

test('the system store of every Node holds the root of the fleet once [RTX-099]', onHosts, () => {
  const fleet = started()
  for (const { root } of [fleet.node('web'), fleet.gateway.host]) {
    const own = readFileSync(join(root, 'usr/local/share/ca-certificates/fleet-gateway.crt'), 'utf8')
    const bundle = readFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), 'utf8')
    assert.equal(bundle.split(own.trim()).length, 2)
  }
})

test(
  'while the gateway is stopped Nodes reach each other, resolve published names and keep their services; then it continues',
  onHosts,
  async () => {
    const fleet = started()
    const [web, api, gateway] = [fleet.node('web'), fleet.node('api'), fleet.gateway.host]
    const address = await tunnelAddress(fleet, api.name)
    await giveProfile(fleet, web)
    const agent = await processOf(web, 'fleet-agent')
    const hub = await tunnelAddress(fleet, 'gateway')
    await gateway.run(['systemctl', 'stop', 'fleet-gateway'])
    assert.equal((await web.attempt(['fleet', 'node:list'])).status, 3)
    assert.equal(await reaches(web, address, 22), true)
    assert.equal(await resolved(web, 'shop.api.test'), address)
    assert.equal(await resolved(api, 'gateway.fleet'), (await resolved(web, 'gateway.fleet')) ?? 'none')
    assert.equal(await addressFrom(web, hub, 'shop.api.test', { over: 'tcp' }), address)
    await gateway.run(['systemctl', 'restart', 'fleet-private-dns.service'])
    assert.equal(await addressFrom(web, hub, 'shop.api.test'), address)
    assert.equal(await processOf(web, 'fleet-agent'), agent)
    await gateway.run(['systemctl', 'start', 'fleet-gateway'])
    const listed = async (): Promise<true | undefined> =>
      (await web.attempt(['fleet', 'node:list'])).status === 0 ? true : undefined
    assert.equal(await waitFor(30, listed), true)
    assert.equal(
      (await fleet.record('node:converge', api.name))['node_id'],
      (await fleet.record('node:show', api.name))['id'],
    )
  },
)
