import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { resolved, tunnelAddress } from './facts.ts'
import { shareFleet } from './installed.ts'
import { addShop } from './shop.ts'
import { onHosts } from './site.ts'
import { visiting } from './visitor.ts'

const started = shareFleet({
  name: 'clm',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'web.test'] },
    { name: 'edge', roles: ['database'] },
    { name: 'guest', roles: ['app-prod'] },
  ],
})

test(
  'an active Cluster takes a Route of its Node and gives it back, and of the requests meanwhile none is lost [CLU-016, CLU-025, RTX-043]',
  onHosts,
  async (context) => {
    const fleet = started()
    const [web, edge, guest] = ['web', 'edge', 'guest'].map(fleet.node)
    assert.ok(web && edge && guest)
    await fleet.record('cluster:create', 'plain')
    for (const node of [web, edge]) await fleet.record('cluster:node:attach', 'plain', node.name)
    await fleet.record('cluster:router:set', 'plain', edge.name)
    await addShop(fleet, context, web)
    const made = await fleet.record('instance:create', 'shop', web.name, 'second', '--domain', 'page.example')
    assert.equal(made['url'], 'https://page.example')
    for (const [state, serving] of [
      ['active', edge],
      ['inactive', web],
    ] as const) {
      const visits = await visiting(guest, 'https://page.example/plain.txt', async () => {
        await fleet.record('cluster:update', 'plain', '--state', state)
        // What is left behind goes 31 s later.
        await systemClock.sleep(40_000)
      })
      context.diagnostic(`${state}: ${visits.answered} answered, ${visits.repeated} repeated`)
      assert.deepEqual(visits.failures, [], `${state}: ${visits.answered} answered`)
      assert.equal(await resolved(guest, 'page.example'), await tunnelAddress(fleet, serving.name))
    }
    const left = await edge.run(['sh', '-c', 'ls /etc/fleet/certificates; cat /etc/caddy/Caddyfile'])
    assert.doesNotMatch(left, /route-\d+-router|# router /)
  },
)
