import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { type Deaths, killedAfter, killedAtEach, stepsDone } from './gateway-deaths.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({ name: 'roles', nodes: [] })

/** `role status failed_step` of the assignments of a Node. */
async function rolesOf(fleet: InstalledFleet, name: string): Promise<string[]> {
  const roles = await fleet.records('node:role:list', name)
  return roles.map((row) => [row['role'], row['status'], row['failed_step']].filter(Boolean).join(' '))
}

const opensPublicSsh = async (host: Host): Promise<boolean> =>
  (await host.run(['ufw', 'show', 'added'])).includes('fleet:public-ssh-recovery')

/** A Node without roles that has the packages of one. */
async function bareNode(fleet: InstalledFleet, name: string): Promise<Host> {
  const host = await fleet.earlierNode({ name, roles: ['database'] })
  await fleet.enroll(host, { name, roles: [] })
  return host
}

test(
  'a gateway that is killed at any step of a role, added or removed, continues with the identical request at once [ROLE-022, ROLE-023, ROLE-025, NODE-066, NODE-129]',
  onHosts,
  async (t) => {
    const fleet = started()
    const gateway = fleet.gateway.host
    const web = await bareNode(fleet, 'web')
    const { name } = web
    const adding = ['node:role:add', name, 'database'] as const
    const removing = ['node:role:remove', name, 'database', '--yes'] as const
    const killEach = (part: string, deaths: Pick<Deaths, 'steps' | 'words' | 'undo'>) =>
      killedAtEach(gateway, {
        ...deaths,
        // After the names only the record is left to write, which may be over before anybody could be killed.
        ending: 2,
        look: async (step) =>
          assert.deepEqual(await rolesOf(fleet, name), [`database failed ${part}:interrupted`], step),
        report: (line) => t.diagnostic(line),
      })
    const [toAdd, toRemove] = [await stepsDone(gateway, adding), await stepsDone(gateway, removing)]
    assert.equal(await opensPublicSsh(web), true)
    await killEach('converge', { steps: toAdd, words: adding, undo: () => fleet.record(...removing) })
    await fleet.record(...adding)
    assert.deepEqual(await rolesOf(fleet, name), ['database active'])
    assert.equal(await opensPublicSsh(web), false)
    await killEach('remove', { steps: toRemove, words: removing, undo: () => fleet.record(...adding) })
    await fleet.record(...removing)
    assert.deepEqual(await rolesOf(fleet, name), [])
    assert.equal(await opensPublicSsh(web), true)
  },
)

test(
  'the role gateway moves to another Node and back, finished after a death by the repeat with from [ROLE-002, ROLE-035, ROLE-037, NODE-066, NODE-129]',
  onHosts,
  async (t) => {
    const fleet = started()
    const gateway = fleet.gateway.host
    const web = await bareNode(fleet, 'spare')
    const { name } = web
    const own = (await fleet.records('node:list')).find(({ roles }) => String(roles).includes('gateway'))
    assert.ok(own)
    const move = (to: string, ...words: readonly string[]) =>
      ['node:role:relocate', to, 'gateway', '--yes', ...words] as const
    const back = async (): Promise<void> => {
      await fleet.record(...move(String(own['name'])))
      assert.deepEqual(await rolesOf(fleet, name), [])
      assert.equal(await opensPublicSsh(web), true)
      const held = (await rolesOf(fleet, String(own['name']))).toSorted()
      assert.deepEqual(held, ['gateway active', 'vpn active'])
    }
    const steps = await stepsDone(gateway, move(name))
    await back()
    const ways = new Set<string>()
    for (const step of steps) {
      const { status, isReached } = await killedAfter(gateway, step, move(name))
      assert.ok(isReached, step)
      const stands = status === 0 ? 'moved' : (await rolesOf(fleet, name)).join()
      t.diagnostic(`killed after ${step}: ${stands}`)
      ways.add(stands)
      if (stands === 'gateway active') {
        assert.equal((await fleet.refused(...move(name))).code, 'validation.failed')
        const moved = await fleet.record(...move(name, '--from', String(own['id'])))
        assert.deepEqual([moved['from'], moved['relocated']], [own['id'], true])
      } else if (stands !== 'moved') await fleet.record(...move(name))
      assert.deepEqual(await rolesOf(fleet, String(own['name'])), ['vpn active'])
      assert.equal(await opensPublicSsh(web), false)
      await back()
    }
    for (const way of ['gateway failed converge:interrupted', 'gateway active']) assert.ok(ways.has(way), way)
  },
)
