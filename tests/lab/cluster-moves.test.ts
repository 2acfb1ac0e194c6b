import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { isLeft, leadsTo, tunnelAddress } from './facts.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { addShop, asClient, heard, page } from './shop.ts'
import { onHosts } from './site.ts'
import { visiting } from './visitor.ts'

const started = shareFleet({
  name: 'clm',
  nodes: [
    { name: 'web', roles: ['app-dev'], words: ['--tld', 'web.test'] },
    { name: 'edge', roles: ['database'], words: ['--tld', 'edge.test'] },
    { name: 'guest', roles: ['app-prod'] },
  ],
})

/** What of a checkout is the same on every Node: its commit, its stash, and every file outside of Git's own directory. */
const contentOf = (host: Host, path: string): Promise<string> => {
  const files = 'find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum'
  const git = `git -c safe.directory='*' -C ${path}`
  return host.run(['sh', '-c', `cd ${path} && ${files} && ${git} rev-parse HEAD && ${git} stash list`])
}

/** An Instance goes to another Node of the Cluster and comes back, with what exists in its checkout alone. */
async function movesThereAndBack(
  fleet: InstalledFleet,
  { web, edge, guest, path }: Readonly<Record<'web' | 'edge' | 'guest', Host>> & { readonly path: string },
): Promise<void> {
  await fleet.record('node:role:add', edge.name, 'app-dev')
  const owner = (await web.run(['stat', '--format=%U', path])).trim()
  const work =
    'echo stashed >> public/plain.txt && git -c user.name=a -c user.email=a@b.test stash -q && echo kept > untracked'
  await web.run(['runuser', '-u', owner, '--', 'sh', '-c', `cd ${path} && ${work}`])
  const ask = (): Promise<string> => page(guest, 'page.example', '/plain.txt').catch(() => '')
  const [shown, content] = [await ask(), await contentOf(web, path)]
  assert.match(shown, /plain/)
  for (const [from, to] of [
    [web, edge],
    [edge, web],
  ] as const) {
    const { transfer, id } = await fleet.record('instance:transfer', 'shop/second', to.name, '--yes')
    assert.match(JSON.stringify(transfer), /"status":"completed"/)
    assert.ok(Number(id) > 0)
    assert.equal((await from.attempt(['test', '-e', path])).status, 1)
    assert.equal(await contentOf(to, path), content)
    const isServed = await waitFor(60, async () => ((await ask()) === shown ? true : undefined))
    assert.ok(isServed, `the page is served from ${to.name}`)
    const client = asClient(await tunnelAddress(fleet, guest.name))
    assert.equal(await heard(guest, 'page.example'), client, `served from ${to.name}`)
  }
  await fleet.record('node:role:remove', edge.name, 'app-dev', '--yes')
}

test(
  'an active Cluster takes a Route of its Node and gives it back, and of the requests meanwhile none is lost; an Instance moves to another Node of it and back [CLU-016, CLU-025, RTX-043, RTX-056, INS-031]',
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
        await leadsTo(fleet, guest, 'page.example', serving)
        if (state === 'inactive') await isLeft(edge)
      })
      context.diagnostic(`${state}: ${visits.answered} answered, ${visits.repeated} repeated`)
      assert.deepEqual(visits.failures, [], `${state}: ${visits.answered} answered`)
      const client = asClient(await tunnelAddress(fleet, guest.name))
      const both: readonly Host[] = [serving, web]
      for (const host of both)
        assert.equal(
          await heard(guest, 'page.example', await tunnelAddress(fleet, host.name)),
          client,
          `${state}, ${host.name}`,
        )
      if (state === 'active')
        await movesThereAndBack(fleet, { web, edge, guest, path: String(made['checkout_path']) })
    }
  },
)
