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
const leaving: WantedNode = { name: 'leaving', roles: [] }
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
// After the names only the record is left to delete, which is over before anybody could be killed.
const REMOVAL = ['metrics-exporters', 'agent', 'firewall-recovery', 'wireguard-projection']

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

/** Sends the same request again and again, each time killed one step later. */
async function killedAtEach(
  fleet: InstalledFleet,
  steps: readonly string[],
  words: readonly string[],
  tell: (line: string) => void,
): Promise<void> {
  for (const step of steps) {
    const { status } = await killedAfter(fleet.gateway.host, step, words)
    tell(`killed after ${step}: the command ended with ${status}`)
    assert.notEqual(status, 0, step)
  }
}

test(
  'a gateway that is killed at any step of an enrolment leaves a record with which the identical request finishes [NODE-020]',
  onHosts,
  async (t) => {
    const fleet = started()
    const host = await fleet.blank(web)
    await fleet.gateway.letIn(host)
    const words = await fleet.gateway.addWords(host, web)
    await killedAtEach(fleet, ENROLMENT, words, (line) => t.diagnostic(line))
    await fleet.enroll(host, web)
    const { status, roles } = await fleet.record('node:show', host.name)
    assert.deepEqual([status, roles], ['active', ['database']])
  },
)

test(
  'a gateway that is killed at any step of a removal goes on with it, and the machine can be enrolled again [NODE-085, NODE-097]',
  onHosts,
  async (t) => {
    const fleet = started()
    const host = await fleet.blank(leaving)
    await fleet.enroll(host, leaving)
    const words = ['node:remove', host.name, '--yes'] as const
    await killedAtEach(fleet, REMOVAL, words, (line) => t.diagnostic(line))
    const removal = await fleet.record(...words)
    assert.deepEqual([removal['removed'], removal['wireguard_peer_removed']], [true, true])
    await fleet.enroll(host, leaving)
    assert.equal((await fleet.record('node:show', host.name))['status'], 'active')
  },
)
