import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Host } from '../../lab/index.ts'
import { installGateway } from './install.ts'
import { carryVariant } from './release-variant.ts'
import { onHosts, testLab } from './site.ts'

const SECONDS = 240
const FORWARD = ['begin', 'drain', 'snapshot', 'switch', 'start', 'smoke', 'tick', 'tell']
const BACK = ['stop', 'records', 'switch-back', 'start-back', 'smoke-back', 'tell']

let host: Host

before(async () => {
  if (onHosts.skip !== undefined) return
  const lab = await testLab()
  host = await lab.host({ name: 'upgraded', roles: ['gateway', 'vpn'] })
  await installGateway(host)
  // A release that does not come up should be noticed soon.
  await host.run(['sh', '-c', 'echo FLEET_GATEWAY_RELEASE_SMOKE_TIMEOUT=20 >>/etc/fleet/gateway.env'])
})
after(async () => {
  if (onHosts.skip === undefined) await host.remove()
})

const upgrade = (folder: string) =>
  host.attempt(['fleet-gateway', 'upgrade', folder], { timeoutSeconds: SECONDS })

const json = async (...words: readonly string[]): Promise<unknown> =>
  (JSON.parse(await host.run(['fleet', ...words, '--json'])) as { readonly data: unknown }).data // The envelope of every answer.

interface Upgraded {
  readonly status: string
  readonly error_code: string | null
  readonly properties: Readonly<Record<string, unknown>>
}

async function lastUpgrade(): Promise<Upgraded> {
  const [last] = (await json('activity:list', '--command', 'gateway:upgrade', '--limit', '1')) as Upgraded[] // Activities of the contract.
  return last ?? assert.fail('no Activity tells of an upgrade')
}

const version = async (): Promise<unknown> => Object(await json('gateway:status')).version

/** What must hold after every upgrade, whatever it came to. */
async function requireSound(): Promise<void> {
  const [node] = (await json('node:list')) as Array<Readonly<Record<string, unknown>>> // Nodes of the contract.
  assert.deepEqual(
    [node?.['id'], node?.['name'], node?.['status'], node?.['updating']],
    [1, 'gateway', 'active', null],
  )
  for (const name of ['upgrade.json', 'upgrade.hold'])
    assert.equal(existsSync(join(host.root, 'opt/fleet', name)), false, name)
}

test(
  'a gateway moves to another release, says so in its Activity and keeps as many releases and snapshots as it is reported [SET-002, SET-003, NODE-016]',
  onHosts,
  async () => {
    const keep = 'FLEET_GATEWAY_RELEASES_KEEP=1\nFLEET_GATEWAY_RELEASE_SNAPSHOTS_KEEP=1'
    await host.run(['sh', '-c', `printf '%s\\n' '${keep}' >>/etc/fleet/gateway.env`])
    for (const next of ['v2', 'v3']) {
      const { status, stdout, stderr } = await upgrade(await carryVariant(host, next))
      assert.equal(status, 0, `${stdout}${stderr}`)
      assert.equal(await version(), next)
      await requireSound()
    }
    const { status, properties } = await lastUpgrade()
    assert.deepEqual([status, properties['from'], properties['to']], ['succeeded', 'v2', 'v3'])
    const kept = globSync('*', { cwd: join(host.root, 'opt/fleet/releases') })
    assert.deepEqual(kept.toSorted(), ['v2', 'v3'])
    // Of releases two at least stay, one to return to.
    assert.equal(globSync('*.sqlite', { cwd: join(host.root, 'var/lib/fleet/snapshots') }).length, 1)
  },
)

test(
  'a release that fails its smoke check gives way to the one before it by itself, with its records, and the Activity reports why',
  onHosts,
  async () => {
    const before = await version()
    const activities = await json('activity:list', '--limit', '3')
    assert.ok(Array.isArray(activities))
    assert.equal(activities.length, 3)
    const { status, stdout } = await upgrade(await carryVariant(host, 'spoiled', { isSpoiled: true }))
    assert.equal(status, 1)
    assert.match(stdout, /The gateway was rolled back to \S+: spoiled failed at smoke\./)
    assert.equal(await version(), before)
    await requireSound()
    const reported = await lastUpgrade()
    assert.deepEqual(
      [reported.status, reported.error_code, reported.properties['failed_step'], reported.properties['to']],
      ['failed', 'gateway.release_returned', 'smoke', 'spoiled'],
    )
    assert.match(
      String(reported.properties['reason']),
      /^the smoke check of https:\/\/gateway\.fleet failed: /,
    )
  },
)

const stateFile = (): string => join(host.root, 'opt/fleet/upgrade.json')

function stepNow(): string | undefined {
  try {
    return (JSON.parse(readFileSync(stateFile(), 'utf8')) as { readonly step: string }).step // Written by the upgrade.
  } catch {
    return undefined
  }
}

/** Kills the upgrade once at each of the steps as they come, and answers those it was killed at. */
async function killAt(steps: readonly string[], isOver: () => boolean): Promise<readonly string[]> {
  const left = new Set(steps)
  const killed: string[] = []
  while (!isOver() && left.size > 0) {
    const step = stepNow()
    if (step !== undefined && left.has(step)) {
      const { status } = await host.attempt(['systemctl', 'kill', '--signal=KILL', 'fleet-gateway-upgrade'])
      const at = stepNow()
      if (status === 0 && at !== undefined && left.delete(at)) killed.push(at)
    }
    await sleep(5)
  }
  return killed
}

async function underKills(folder: string, steps: readonly string[]) {
  let isOver = false
  const ended = upgrade(folder).finally(() => (isOver = true))
  const killed = await killAt(steps, () => isOver)
  return { killed, ...(await ended) }
}

test('an upgrade that is killed at every step finishes', onHosts, async () => {
  const { killed, status, stdout } = await underKills(await carryVariant(host, 'killed'), FORWARD)
  assert.equal(status, 0, stdout)
  assert.equal(await version(), 'killed')
  await requireSound()
  assert.ok(killed.length >= FORWARD.length - 2, `killed at ${killed.join(', ')} only`)
  assert.equal((await lastUpgrade()).status, 'succeeded')
})

test(
  'an upgrade whose command died before its unit began is named, and the same command resumes it',
  onHosts,
  async () => {
    const folder = await carryVariant(host, 'orphan')
    const ended = upgrade(folder)
    const state = () => host.attempt(['systemctl', 'is-active', 'fleet-gateway-upgrade'])
    while ((await state()).stdout !== 'activating\n') await sleep(5)
    await host.run(['systemctl', 'stop', 'fleet-gateway-upgrade'])
    const left = await ended
    assert.equal(left.status, 1)
    assert.match(left.stderr, /The upgrade stopped at \w+, and nothing carries it out any more\./)
    assert.match(
      (await host.attempt(['fleet-gateway', 'status'])).stdout,
      /to orphan was interrupted at \w+; `fleet-gateway upgrade` resumes it/,
    )
    const resumed = await host.attempt(['fleet-gateway', 'upgrade'], { timeoutSeconds: SECONDS })
    assert.equal(resumed.status, 0, `${resumed.stdout}${resumed.stderr}`)
    assert.equal(await version(), 'orphan')
    await requireSound()
  },
)

test('a return that is killed at every step finishes', onHosts, async () => {
  const before = await version()
  const folder = await carryVariant(host, 'killed-back', { isSpoiled: true })
  const { killed, status, stdout } = await underKills(folder, BACK)
  assert.equal(status, 1, stdout)
  assert.equal(await version(), before)
  await requireSound()
  assert.ok(killed.length >= BACK.length - 2, `killed at ${killed.join(', ')} only`)
  assert.equal((await lastUpgrade()).error_code, 'gateway.release_returned')
})
