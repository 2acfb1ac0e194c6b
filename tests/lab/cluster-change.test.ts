import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../../lab/wait.ts'
import { isLeft, leadsTo } from './facts.ts'
import { shareFleet } from './installed.ts'
import { addShop } from './shop.ts'
import { onHosts } from './site.ts'
import { visiting } from './visitor.ts'

const started = shareFleet({
  name: 'clc',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'web.test'], isOnLan: true },
    { name: 'edge', roles: ['database'], isOnLan: true },
    { name: 'inner', roles: ['database'], isOnLan: true },
    { name: 'guest', roles: ['app-prod'] },
  ],
})

test(
  'a Node on a LAN goes from one active Cluster to another, and of the requests meanwhile none is lost, also when the grace of the first ends while the second one takes it [FW-031]',
  onHosts,
  async (context) => {
    const fleet = started()
    const [web, edge, inner, guest] = ['web', 'edge', 'inner', 'guest'].map(fleet.node)
    assert.ok(web && edge && inner && guest)
    for (const [cluster, router] of [
      ['first', edge],
      ['second', inner],
    ] as const) {
      await fleet.record('cluster:create', cluster)
      await fleet.record('cluster:node:attach', cluster, router.name)
      await fleet.record('cluster:router:set', cluster, router.name)
      await fleet.record('cluster:update', cluster, '--state', 'active')
    }
    await fleet.record('cluster:node:attach', 'first', web.name)
    await addShop(fleet, context, web)
    await fleet.record('instance:create', 'shop', web.name, 'second', '--domain', 'page.example')
    await leadsTo(fleet, guest, 'page.example', edge)
    const visits = await visiting(guest, 'https://page.example/plain.txt', async () => {
      await fleet.record('cluster:node:detach', 'first', web.name, '--yes')
      const left = Date.now()
      // The settlement of the first Cluster comes 31 s after the detach.
      await waitFor(60, async () => (Date.now() - left > 28_000 ? true : undefined))
      const began = Date.now()
      await fleet.record('cluster:node:attach', 'second', web.name)
      context.diagnostic(`attached ${began - left} to ${Date.now() - left} ms after the detach`)
      await leadsTo(fleet, guest, 'page.example', inner)
      await isLeft(edge)
    })
    context.diagnostic(`${visits.answered} answered, ${visits.repeated} repeated`)
    assert.deepEqual(visits.failures, [])
  },
)
