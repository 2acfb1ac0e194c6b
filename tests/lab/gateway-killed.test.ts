import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Ended, Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { type InstalledFleet, shareFleet, type WantedNode } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({ name: 'kill', nodes: [] })

const web: WantedNode = { name: 'web', roles: ['database'] }
const TOLD = '/root/steps'

/** Steps of an enrolment after which another one follows that does something. */
const ENROLMENT = [
  'ssh-host-key',
  'bootstrap',
  'fleet-ssh',
  'wireguard',
  'wireguard-members',
  'tool-manager',
  'role:database',
  'private-dns',
  'active',
]
const REMOVAL = ['metrics-exporters', 'agent', 'firewall-recovery', 'wireguard-projection', 'dns-projection']

const RESTART_SECONDS = 60

/** Kills the gateway as soon as a command has told that a step is done, and waits until it is back. */
async function killedAfter(gateway: Host, step: string, words: readonly string[]): Promise<Ended> {
  const file = join(gateway.root, TOLD)
  rmSync(file, { force: true })
  const request = gateway.attempt(['sh', '-c', `"$@" 2>${TOLD}`, 'sh', 'fleet', ...words], {
    timeoutSeconds: 300,
  })
  let hasEnded = false
  void request.finally(() => (hasEnded = true)).catch(() => undefined)
  const told = await waitFor(240, async () => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    return hasEnded || text.includes(`${step}: done`) ? text : undefined
  })
  await gateway.run(['systemctl', 'kill', '--kill-whom=main', '--signal=KILL', 'fleet-gateway'])
  const ended = await request
  assert.ok(told?.includes(`${step}: done`), `${step} was not reached:\n${told}`)
  await requireBack(gateway)
  return ended
}

async function requireBack(gateway: Host): Promise<void> {
  const isBack = async (): Promise<true | undefined> =>
    (await gateway.attempt(['fleet', 'gateway:status'])).status === 0 ? true : undefined
  assert.equal(await waitFor(RESTART_SECONDS, isBack), true)
}

const statusOf = async (fleet: InstalledFleet, name: string): Promise<unknown> => {
  const { status, stdout } = await fleet.gateway.fleet(['node:show', name, '--json'])
  return status === 0 ? (JSON.parse(stdout) as { data: { status: string } }).data.status : undefined // The declared record.
}

test(
  'a gateway that is killed at any step of an enrolment or a removal leaves a record with which the identical request finishes [NODE-020]',
  onHosts,
  async (t) => {
    const fleet = started()
    const gateway = fleet.gateway.host
    const host = await fleet.blank(web)
    await fleet.gateway.letIn(host)
    const add = await fleet.gateway.addWords(host, web)
    for (const step of ENROLMENT) {
      const { status } = await killedAfter(gateway, step, add)
      t.diagnostic(`killed after ${step}: the command ended with ${status}`)
      assert.notEqual(status, 0)
    }
    await fleet.enroll(host, web)
    assert.equal(await statusOf(fleet, host.name), 'active')
    await fleet.gateway.data(['node:role:remove', host.name, 'database', '--yes'])
    for (const step of REMOVAL) {
      const { status } = await killedAfter(gateway, step, ['node:remove', host.name, '--yes'])
      t.diagnostic(`killed after ${step}: the command ended with ${status}`)
      assert.notEqual(status, 0)
    }
    const removal = await fleet.record('node:remove', host.name, '--yes')
    assert.deepEqual([removal['removed'], removal['wireguard_peer_removed']], [true, true])
    await fleet.enroll(host, web)
  },
)
