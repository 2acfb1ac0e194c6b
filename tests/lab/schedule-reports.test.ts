import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import type { JsonObject } from '../embedded/ask.ts'
import { tunnelAddress } from './facts.ts'
import { requireBack } from './gateway-deaths.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { onOwnKernel, OWN_KERNEL_PACKAGE } from './own-kernel.ts'
import { onHosts } from './site.ts'

const started = shareFleet({
  name: 'rep',
  nodes: [
    { name: 'web', roles: ['app-prod'], packages: [OWN_KERNEL_PACKAGE] },
    { name: 'other', roles: [] },
  ],
})

/** The files of the agent of another Node. */
const STOLEN = 'root/stolen'
/** Runs until the test says that it may end. */
const waiting = (file: string): string => `until [ -e ${file} ]; do sleep 0.2; done; echo ran`
const NEVER = '2099-01-01'
const serviceOf = ({ id }: JsonObject): string => `fleet-schedule-${String(id)}.service`

async function create(
  fleet: InstalledFleet,
  name: string,
  command: string,
  calendar = NEVER,
  ...more: readonly string[]
): Promise<JsonObject> {
  const nodes = await fleet.records('node:list')
  const id = String(nodes.find((node) => node['name'] === fleet.node('web').name)?.['id'])
  return fleet.record('schedule:create', 'node', id, name, calendar, command, ...more)
}

/** Receipt and result of the last report. */
async function reported(fleet: InstalledFleet, { id }: JsonObject): Promise<readonly unknown[]> {
  const schedule = await fleet.record('schedule:show', String(id))
  return [schedule['last_run_at'], schedule['last_run_status']]
}

const UNREPORTED = [null, null]

const run = ({ id }: JsonObject): readonly [string, string] => ['schedule:run', String(id)]

async function remove(fleet: InstalledFleet, { id }: JsonObject): Promise<void> {
  // A service that has reported its end is not over yet.
  await waitFor(30, async () => {
    const { removed } = await fleet.record('schedule:destroy', String(id), '--yes')
    return removed === true ? true : undefined
  })
  const left = await fleet.records('schedule:list')
  assert.ok(!left.some((schedule) => schedule['id'] === id))
}

/** Until the service is in one of these states. */
async function inState(host: Host, schedule: JsonObject, states: RegExp): Promise<void> {
  const property = '--property=ActiveState,SubState'
  const isThere = await waitFor(60, async () => {
    const shown = await host.run(['systemctl', 'show', property, serviceOf(schedule)])
    return states.test(shown) ? true : undefined
  })
  assert.equal(isThere, true)
}

/** Until a report of this result has been received. Answers the time of its receipt. */
async function received(fleet: InstalledFleet, schedule: JsonObject, result: string): Promise<number> {
  const at = await waitFor(60, async () => {
    const [receipt, status] = await reported(fleet, schedule)
    return status === result ? Date.parse(String(receipt)) : undefined
  })
  return at ?? assert.fail(`no report of ${result} came`)
}

const journalOf = (host: Host, schedule: JsonObject): Promise<string> =>
  host.run(['journalctl', `--unit=${serviceOf(schedule)}`, '--output=cat', '--no-pager'])

/** What the program of a Node says when it reports that a run succeeded. */
async function report(host: Host, { id }: JsonObject, ...more: readonly string[]): Promise<string> {
  const words = ['/opt/fleet/bin/fleet', 'node-report', '--result=success', ...more, String(id)] as const
  const { status, stderr } = await host.attempt(words)
  return status === 0 ? 'accepted' : stderr.trim()
}

test(
  'a report that is lost is not sent again and changes no run, the next one counts, and a removal that waits for a lost one is finished after the timeout of the run [SCHD-015, SCHD-023]',
  onHosts,
  async () => {
    const fleet = started()
    const host = fleet.node('web')
    const gateway = fleet.gateway.host
    const kept = await create(fleet, 'kept', waiting('/srv/go'))
    const going = await create(fleet, 'going', waiting('/srv/go'), NEVER, '--timeout-seconds=60')
    for (const schedule of [kept, going]) {
      await fleet.record(...run(schedule))
      await inState(host, schedule, /=activating$/m)
    }
    const { removed } = await fleet.record('schedule:destroy', String(going['id']), '--yes')
    assert.equal(removed, false)
    await gateway.run(['systemctl', 'stop', 'fleet-gateway'])
    await host.run(['touch', '/srv/go'])
    for (const schedule of [kept, going]) {
      await inState(host, schedule, /=(?:inactive|failed)$/m)
      const journal = await journalOf(host, schedule)
      assert.match(journal, /^ran$/m)
      assert.match(journal, /^fleet: the run was not reported: /m)
      assert.doesNotMatch(journal, /Failed with result/)
    }
    await gateway.run(['systemctl', 'start', 'fleet-gateway'])
    await requireBack(gateway)
    const isGone = await waitFor(240, async () => {
      const left = await fleet.records('schedule:list')
      return left.some(({ id }) => id === going['id']) ? undefined : true
    })
    assert.equal(isGone, true)
    assert.equal((await host.attempt(['systemctl', 'cat', serviceOf(going)])).status, 1)
    // More than a minute later.
    assert.deepEqual(await reported(fleet, kept), UNREPORTED)
    await fleet.record(...run(kept))
    await received(fleet, kept, 'success')
    await remove(fleet, kept)
  },
)

test(
  'a report of another Node is refused, with the files of the right one too, and one under its address does not arrive [SCHD-017]',
  onHosts,
  async () => {
    const fleet = started()
    const [web, other] = [fleet.node('web'), fleet.node('other')]
    const schedule = await create(fleet, 'forged', 'exit 3')
    await fleet.record(...run(schedule))
    await received(fleet, schedule, 'error')
    const before = await reported(fleet, schedule)
    const refusal = 'fleet: the run was not reported: the gateway: '
    assert.equal(await report(other, schedule), `${refusal}schedule.target_invalid`)
    cpSync(join(web.root, 'etc/fleet/agent'), join(other.root, STOLEN), { recursive: true })
    const stolen = (): Promise<string> => report(other, schedule, `--home=/${STOLEN}`)
    assert.equal(await stolen(), `${refusal}schedule.target_invalid`)
    const [from, to] = [await tunnelAddress(fleet, web.name), await tunnelAddress(fleet, 'gateway')]
    const ways = await other.run(['ip', 'route', 'show', to])
    await other.run([
      'sh',
      '-ec',
      `ip address add ${from}/32 dev fleet; ip route replace ${to} dev fleet src ${from}`,
    ])
    assert.equal(await stolen(), `${refusal}timeout`)
    await other.run(['sh', '-ec', `ip route del ${to} dev fleet; ip address del ${from}/32 dev fleet`])
    assert.equal(await other.run(['ip', 'route', 'show', to]), ways)
    assert.equal(await stolen(), `${refusal}schedule.target_invalid`)
    assert.deepEqual(await reported(fleet, schedule), before)
    await remove(fleet, schedule)
  },
)

test(
  'a report that comes late counts with the time of its receipt, and one of a Schedule that is gone brings nothing back [SCHD-008]',
  onHosts,
  async () => {
    const fleet = started()
    const host = fleet.node('web')
    const { host: gateway } = fleet.gateway
    const schedule = await create(fleet, 'late', waiting('/srv/late'))
    await fleet.record(...run(schedule))
    await inState(host, schedule, /=activating$/m)
    await gateway.pause()
    await host.run(['touch', '/srv/late'])
    await inState(host, schedule, /=stop-post$/m)
    await pause(2000)
    const resumed = Date.now()
    await gateway.resume()
    assert.ok((await received(fleet, schedule, 'success')) >= resumed)
    await remove(fleet, schedule)
    assert.equal(
      await report(host, schedule),
      'fleet: the run was not reported: the gateway: schedule.not_found',
    )
    const left = await fleet.records('schedule:list')
    assert.ok(!left.some(({ id }) => id === schedule['id']))
  },
)

test(
  'a clock that is moved over times of a calendar starts one run, one that is moved back none, and a single time that it passes again none; the record has the clock of the gateway [SCHD-008, SCHD-018]',
  onHosts,
  async () => {
    const fleet = started()
    const host = fleet.node('web')
    const once = await create(fleet, 'once', 'echo "ran once"')
    const daily = await create(fleet, 'daily', 'echo "ran daily"', 'daily')
    const told = await onOwnKernel(host, movedClock([once, daily]))
    assert.deepEqual(told.trim().split('\n'), MOVES)
    for (const schedule of [once, daily]) assert.deepEqual(await reported(fleet, schedule), UNREPORTED)

    await host.moveClock(3 * 3600)
    try {
      await fleet.record(...run(once))
      assert.ok((await received(fleet, once, 'success')) <= Date.now())
    } finally {
      await host.resetClock()
    }
    for (const schedule of [once, daily]) await remove(fleet, schedule)
  },
)

/** A time to which the clock is moved, and how often each of two Schedules has run some seconds later. */
const MOVES = [
  '2098-12-31T12:00:00 0 1',
  '2099-01-01T12:00:00 1 2',
  '2050-01-01T12:00:00 1 2',
  '2099-01-01T18:00:00 1 3',
  '2100-03-01T12:00:00 1 4',
]

/** Waits a minute for as many runs as there should be, and two seconds more for those that should not. */
const movedClock = (schedules: readonly JsonObject[]): string => `
count() { for unit in ${schedules.map(serviceOf).join(' ')}; do printf ' %s' "$(journalctl --unit="$unit" --output=cat --no-pager | grep -c '^ran' || true)"; done; }
move() {
  date -s "$1" >/dev/null
  for _ in $(seq 60); do [ "$(count)" != " $2 $3" ] || break; sleep 1; done
  sleep 2
  echo "$1$(count)"
}
${MOVES.map((move) => `move ${move}`).join('\n')}
`
