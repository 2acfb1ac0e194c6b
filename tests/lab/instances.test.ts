import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '../../lab/wait.ts'
import { asObject } from '../embedded/ask.ts'
import { NO_RESIDUE, residueInStore } from '../embedded/residue.ts'
import { APPS, asUser, type LabFleet, startLabFleet } from './fleet.ts'
import { onHosts } from './site.ts'

/** Milliseconds after which somebody dies; a creation takes about half a second here. */
const MOMENTS = [20, 90, 160, 240, 330, 430]

/** Fewer: each time the gateway waits until it knows that the Node is gone. */
const POWER_MOMENTS = [60, 200, 400]

const creation = ({ nodeId }: LabFleet, name: string) =>
  ['POST', '/instances', { project_id: 1, node_id: nodeId, name }] as const

/** Every name below the apps root down to the checkouts, quarantine and half-built folders included. */
const places = ({ host }: LabFleet): Promise<string> =>
  host.run(['find', APPS, '-mindepth', '1', '-maxdepth', '2', '-printf', '%P %u\n']).then(sorted)

/** Everything in a checkout but the objects of Git, with mode and owner, and what Git says about it. */
async function shape({ host }: LabFleet, name: string): Promise<string> {
  const checkout = `${APPS}/shop/${name}`
  const files = await host.run([
    'find',
    checkout,
    '-path',
    '*/.git/objects/*',
    '-prune',
    '-o',
    '-printf',
    '%P %m %u\n',
  ])
  const status = await asUser(
    host,
    `cd ${checkout} && git status --porcelain && git fsck --strict --no-progress`,
  )
  return sorted(files.replaceAll(name, '<name>')) + status
}

const sorted = (lines: string): string => lines.split('\n').toSorted().join('\n')

const pause = (milliseconds: number): Promise<unknown> =>
  waitFor(milliseconds / 1000, () => Promise.resolve(undefined))

/** Sends the request and has somebody die meanwhile. */
async function interrupted(
  fleet: LabFleet,
  request: ReturnType<typeof creation>,
  after: number,
  death: () => Promise<void>,
): Promise<void> {
  const answer = fleet.ask(...request).catch(() => undefined)
  await pause(after)
  await death()
  await answer
}

test(
  'an Instance is checked out as the managed user over real SSH and HTTPS, and removed without a trace',
  onHosts,
  async () => {
    await using fleet = await startLabFleet('instances')
    const made = await fleet.send(...creation(fleet, 'feature'))
    assert.deepEqual([made['status'], made['checkout_path']], ['active', `${APPS}/shop/feature`])
    assert.equal(await places(fleet), '\nshop fleet\nshop/feature fleet')
    const checkout = `${APPS}/shop/feature`
    assert.equal(
      await asUser(fleet.host, `git -C ${checkout} rev-parse HEAD`),
      `${String(made['starting_commit'])}\n`,
    )
    assert.equal(await asUser(fleet.host, `git -C ${checkout} branch --show-current`), 'feature\n')
    const removal = await fleet.send('DELETE', `/instances/${String(made['id'])}`)
    assert.equal(removal['status'], 'completed')
    assert.equal(await places(fleet), '')
  },
)

test(
  'a creation on a full disk leaves a record that says so, and the same request finishes when there is room',
  onHosts,
  async () => {
    await using fleet = await startLabFleet('instances-full')
    await fleet.host.fillDisk()
    const { code, details } = await fleet.refused(...creation(fleet, 'feature'))
    assert.deepEqual(
      [code, asObject(details, 'details')['reason']],
      ['instance.source_failed', 'storage_full'],
    )
    fleet.host.freeDisk()
    assert.equal((await fleet.send(...creation(fleet, 'feature')))['status'], 'active')
    assert.equal(await places(fleet), '\nshop fleet\nshop/feature fleet')
    assert.deepEqual(residueInStore(fleet.home), NO_RESIDUE)
  },
)

test(
  'a creation whose gateway is killed at any moment is finished by the identical request [INS-050]',
  onHosts,
  async () => {
    await using fleet = await startLabFleet('gateway-dies')
    await fleet.send(...creation(fleet, 'whole'))
    const whole = await shape(fleet, 'whole')
    for (const moment of MOMENTS) {
      const name = `cut-${moment}`
      await interrupted(fleet, creation(fleet, name), moment, () => fleet.gateway.kill())
      await fleet.gateway.restart()
      assert.equal((await fleet.send(...creation(fleet, name)))['status'], 'active', name)
      assert.equal(await shape(fleet, name), whole, name)
    }
    const names = MOMENTS.map((moment) => `shop/cut-${moment} fleet`)
    assert.equal(await places(fleet), sorted(['', 'shop fleet', 'shop/whole fleet', ...names].join('\n')))
    assert.deepEqual(residueInStore(fleet.home), NO_RESIDUE)
  },
)

test(
  'a creation whose Node loses power at any moment is finished by the identical request, and then outlives a power cut [INS-050]',
  onHosts,
  async () => {
    await using fleet = await startLabFleet('node-dies')
    await fleet.send(...creation(fleet, 'whole'))
    const whole = await shape(fleet, 'whole')
    for (const moment of POWER_MOMENTS) {
      const name = `cut-${moment}`
      await interrupted(fleet, creation(fleet, name), moment, () => fleet.host.kill())
      await fleet.host.revive()
      assert.equal((await fleet.send(...creation(fleet, name)))['status'], 'active', name)
      await fleet.host.kill()
      await fleet.host.revive()
      assert.equal(await shape(fleet, name), whole, name)
    }
    assert.equal(await shape(fleet, 'whole'), whole)
    assert.deepEqual(residueInStore(fleet.home), NO_RESIDUE)
  },
)

test('a removal that was answered is not undone by a power cut [INS-115]', onHosts, async () => {
  await using fleet = await startLabFleet('removal-lasts')
  const { id } = await fleet.send(...creation(fleet, 'feature'))
  await fleet.send('DELETE', `/instances/${String(id)}`)
  await fleet.host.kill()
  await fleet.host.revive()
  assert.equal(await places(fleet), '')
})

/** Command lines of every process on the host. */
const processesOn = ({ host }: LabFleet): Promise<string> =>
  host.run([
    'sh',
    '-c',
    `for one in /proc/[0-9]*; do tr '\\0' ' ' <"$one/cmdline" && echo; done 2>/dev/null || :`,
  ])

test(
  'a process that a setup step starts outside its session and without its environment ends with the step, by its control group [PRJ-065]',
  onHosts,
  async () => {
    await using fleet = await startLabFleet('strays')
    // As enrolment leaves it.
    await fleet.host.run(['sh', '-c', 'echo "fleet ALL=(ALL) NOPASSWD:ALL" >/etc/sudoers.d/fleet'])
    const stray = 'env -i setsid sleep 317 </dev/null >/dev/null 2>&1 &'
    const command = `${stray} sleep 0.5; tr '\\0' ' ' </proc/$!/cmdline >started`
    await fleet.send('POST', '/projects/1/setup-steps', { name: 'build', command })
    assert.equal((await fleet.send(...creation(fleet, 'feature')))['status'], 'active')
    const started = await fleet.host.run(['cat', `${APPS}/shop/feature/started`])
    assert.equal(started, 'sleep 317 ', 'the process ran during the step')
    assert.doesNotMatch(await processesOn(fleet), /sleep 317/)
    const scopes = await fleet.host.run(['systemctl', 'list-units', '--all', '--no-legend', 'fleet-step-*'])
    assert.equal(scopes, '')
  },
)
