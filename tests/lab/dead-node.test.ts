import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertHealthy, resolved, tunnelAddress } from './facts.ts'
import { type InstalledFleet, shareFleet, type WantedNode } from './installed.ts'
import { onHosts } from './site.ts'

const lost: WantedNode = { name: 'lost', roles: ['app-dev'], words: ['--tld', 'lost.test'] }
const started = shareFleet({
  name: 'dead',
  nodes: [{ name: 'web', roles: ['app-dev'], words: ['--tld', 'web.test'] }, lost],
})

/** The shortest of three converges of a Node, in milliseconds. */
async function quickest(fleet: InstalledFleet, name: string): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const start = performance.now()
    await fleet.record('node:converge', name)
    times.push(performance.now() - start)
  }
  return Math.min(...times)
}

test(
  'a dead Node slows no other one, is removed offline with what it leaves, and comes back by a new enrolment [NODE-093, NODE-095, NODE-097]',
  onHosts,
  async (t) => {
    const fleet = started()
    const [web, host] = [fleet.node('web'), fleet.node('lost')]
    const before = await quickest(fleet, web.name)
    assert.equal(await resolved(web, 'shop.lost.test'), await tunnelAddress(fleet, host.name))
    await host.kill()
    // A request to the dead one hangs in the meantime.
    const hanging = fleet.refused('node:converge', host.name, '--force')
    const beside = await quickest(fleet, web.name)
    t.diagnostic(
      `a converge of another Node took ${before.toFixed(0)} ms, beside a dead one ${beside.toFixed(0)} ms`,
    )
    // Waiting for the dead one would take ten seconds and more; other files of the suite may cost something.
    assert.ok(beside < before * 3 + 3000, `${beside} ms after ${before} ms`)
    const { code, details } = await hanging
    assert.deepEqual([code, details['error_code']], ['node.footprint_failed', 'node.unreachable'])
    const remove = ['node:remove', host.name, '--yes', '--offline'] as const
    assert.equal((await fleet.refused(...remove)).code, 'node.confirmation_required')
    const removal = await fleet.record(...remove, '--force')
    assert.deepEqual(
      [removal['removed'], removal['wireguard_peer_removed'], removal['roles_shed']],
      [true, true, ['app-dev']],
    )
    assert.equal(await resolved(web, 'shop.lost.test'), undefined)
    assert.equal(
      (await fleet.records('node:list')).some(({ name }) => name === host.name),
      false,
    )
    await assertHealthy(fleet)
    await host.revive()
    // Nobody touched its firewall, so its console lets the gateway in, as the answer of the removal says.
    await host.run(['ufw', 'allow', '22/tcp'])
    await fleet.enroll(host, lost)
    await host.run(['ufw', 'delete', 'allow', '22/tcp'])
    assert.equal(await resolved(web, 'shop.lost.test'), await tunnelAddress(fleet, host.name))
    await assertHealthy(fleet)
  },
)
