import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({ name: 'roles', nodes: [] })

const TOLD = '/root/steps'
const RESTART_SECONDS = 60

/** Kills the gateway as soon as a command has told that a step is done, and waits until it is back. */
async function killAfter(gateway: Host, step: string, words: readonly string[]): Promise<void> {
  const file = join(gateway.root, TOLD)
  rmSync(file, { force: true })
  const request = gateway.attempt(['sh', '-c', `"$@" 2>${TOLD}`, 'sh', 'fleet', ...words], {
    timeoutSeconds: 240,
  })
  const told = await waitFor(200, async () => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    return text.includes(`${step}: done`) ? text : undefined
  })
  await gateway.run(['systemctl', 'kill', '--kill-whom=main', '--signal=KILL', 'fleet-gateway'])
  const { status } = await request
  assert.ok(told, `${step} was not reached`)
  assert.notEqual(status, 0, `the request ended before the gateway died after ${step}`)
  const isBack = await waitFor(RESTART_SECONDS, async () =>
    (await gateway.attempt(['fleet', 'gateway:status'])).status === 0 ? true : undefined,
  )
  assert.ok(isBack, 'the gateway does not come back')
}

/** `role status failed_step` of the assignments of a Node. */
async function rolesOf(fleet: InstalledFleet, name: string): Promise<string[]> {
  const roles = await fleet.records('node:role:list', name)
  return roles.map((row) => [row['role'], row['status'], row['failed_step']].filter(Boolean).join(' '))
}

const opensPublicSsh = async (host: Host): Promise<boolean> =>
  (await host.run(['ufw', 'show', 'added'])).includes('fleet:public-ssh-recovery')

/** Steps after which another one follows that does something. */
const ADDING = ['packages', 'services', 'engine', 'public-ssh', 'managed-dns']
const REMOVING = ['firewall-recovery', 'private-dns']

/** A Node without roles that has the packages of one. */
async function bareNode(fleet: InstalledFleet, name: string): Promise<Host> {
  const host = await fleet.blank({ name, roles: ['database'] })
  await fleet.enroll(host, { name, roles: [] })
  return host
}

test(
  'a gateway that is killed at any step of a role, added or removed, goes on with the identical request at once [ROLE-022, ROLE-023, ROLE-025, NODE-066, NODE-129]',
  onHosts,
  async () => {
    const fleet = started()
    const gateway = fleet.gateway.host
    const web = await bareNode(fleet, 'web')
    const { name } = web
    assert.equal(await opensPublicSsh(web), true)
    for (const step of ADDING) {
      await killAfter(gateway, `role:${step}`, ['node:role:add', name, 'database'])
      assert.deepEqual(await rolesOf(fleet, name), ['database failed converge:interrupted'], step)
    }
    await fleet.record('node:role:add', name, 'database')
    assert.deepEqual(await rolesOf(fleet, name), ['database active'])
    assert.equal(await opensPublicSsh(web), false)
    for (const step of REMOVING) {
      await killAfter(gateway, `role:${step}`, ['node:role:remove', name, 'database', '--yes'])
      assert.deepEqual(await rolesOf(fleet, name), ['database failed remove:interrupted'], step)
    }
    await fleet.record('node:role:remove', name, 'database', '--yes')
    assert.deepEqual(await rolesOf(fleet, name), [])
    assert.equal(await opensPublicSsh(web), true)
  },
)

test(
  'the role gateway moves to another Node and back, finished after a death by the repeat with from [ROLE-002, ROLE-035, ROLE-037, NODE-066, NODE-129]',
  onHosts,
  async () => {
    const fleet = started()
    const gateway = fleet.gateway.host
    const web = await bareNode(fleet, 'spare')
    const { name } = web
    const own = (await fleet.records('node:list')).find(({ roles }) => String(roles).includes('gateway'))
    assert.ok(own)
    const move = (to: string, ...words: readonly string[]) =>
      ['node:role:relocate', to, 'gateway', '--yes', ...words] as const
    await killAfter(gateway, 'role:firewall', move(name))
    assert.deepEqual(await rolesOf(fleet, name), ['gateway failed converge:interrupted'])
    await killAfter(gateway, 'role:private-dns', move(name))
    assert.deepEqual(await rolesOf(fleet, name), ['gateway active'])
    assert.equal((await fleet.refused(...move(name))).code, 'validation.failed')
    const moved = await fleet.record(...move(name, '--from', String(own['id'])))
    assert.deepEqual([moved['from'], moved['relocated']], [own['id'], true])
    assert.deepEqual(await rolesOf(fleet, String(own['name'])), ['vpn active'])
    assert.equal(await opensPublicSsh(web), false)
    await fleet.record(...move(String(own['name'])))
    assert.deepEqual(await rolesOf(fleet, name), [])
    assert.equal(await opensPublicSsh(web), true)
    assert.deepEqual((await rolesOf(fleet, String(own['name']))).toSorted(), ['gateway active', 'vpn active'])
  },
)
