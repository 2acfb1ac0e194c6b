import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doctorReport } from '@fleet/contract'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import type { JsonObject } from '../embedded/ask.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({ name: 'scd', nodes: [{ name: 'web', roles: ['app-prod'] }] })

const NEVER = '2099-01-01'
const timerOf = ({ id }: JsonObject): string => `fleet-schedule-${String(id)}.timer`
const serviceOf = ({ id }: JsonObject): string => `fleet-schedule-${String(id)}.service`
const filesOf = (schedule: JsonObject): readonly string[] => [
  `/etc/fleet/schedules/${String(schedule['id'])}.sh`,
  `/etc/systemd/system/${timerOf(schedule)}`,
  `/etc/systemd/system/${serviceOf(schedule)}`,
  `/var/lib/systemd/timers/stamp-${timerOf(schedule)}`,
]

async function words(fleet: InstalledFleet, name: string, calendar: string, command: string) {
  const nodes = await fleet.records('node:list')
  const id = nodes.find((node) => node['name'] === fleet.node('web').name)?.['id']
  return ['schedule:create', 'node', String(id), name, calendar, command] as const
}

const create = async (fleet: InstalledFleet, name: string, calendar: string, command: string) =>
  fleet.record(...(await words(fleet, name, calendar, command)))
const show = (fleet: InstalledFleet, { id }: JsonObject) => fleet.record('schedule:show', String(id))
const destroy = (fleet: InstalledFleet, { id }: JsonObject, ...more: readonly string[]) =>
  fleet.record('schedule:destroy', String(id), '--yes', ...more)

async function codes(fleet: InstalledFleet): Promise<readonly string[]> {
  const report = doctorReport.parse(await fleet.record('doctor', '--families', 'schedule'))
  return report.nodes.flatMap(({ families }) =>
    families.flatMap(({ issues }) => issues.map(({ code }) => code)),
  )
}

async function lastRun(fleet: InstalledFleet, schedule: JsonObject, status: string): Promise<void> {
  await waitFor(30, async () =>
    (await show(fleet, schedule))['last_run_status'] === status ? true : undefined,
  )
}
const state = async (host: Host, unit: string): Promise<string> =>
  (await host.attempt(['systemctl', 'is-active', unit])).stdout.trim()

test(
  'a run is started, reported with its result and logged, at the times of a calendar that the host accepts, and nothing stays after the removal [SCHD-003, SCHD-008, SCHD-012, SCHD-014, SCHD-019]',
  onHosts,
  async () => {
    const fleet = started()
    const host = fleet.node('web')
    const refused = await fleet.refused(...(await words(fleet, 'bad', 'every full moon', 'true')))
    assert.equal(refused.code, 'schedule.calendar_invalid')
    const schedule = await create(
      fleet,
      'echo',
      NEVER,
      `echo "<$(id -un) $PWD 50% 'a'>"; shopt -q login_shell && echo login`,
    )
    assert.deepEqual(
      [schedule['status'], schedule['desired_timer_state'], schedule['last_run_at']],
      ['active', 'enabled', null],
    )
    await fleet.record('schedule:run', String(schedule['id']))
    await lastRun(fleet, schedule, 'success')
    const { output } = await fleet.record('schedule:logs', String(schedule['id']))
    assert.match(String(output), /^<(\w+) \/home\/\1 50% 'a'>$/m)
    assert.match(String(output), /^login$/m)
    const failing = await create(fleet, 'fails', NEVER, 'exit 3')
    await fleet.record('schedule:run', String(failing['id']))
    await lastRun(fleet, failing, 'error')
    const ticking = await create(fleet, 'ticks', '*:*:0/2', 'true')
    await lastRun(fleet, ticking, 'success')
    for (const one of [schedule, failing, ticking]) {
      await waitFor(30, async () => ((await destroy(fleet, one))['removed'] === true ? true : undefined))
      for (const path of filesOf(one)) assert.equal((await host.attempt(['ls', path])).status, 2, path)
    }
    assert.deepEqual(await codes(fleet), [])
  },
)

test(
  'a run that takes too long is ended and reported as an error, and a removal waits for a run and is finished by the gateway [SCHD-005, SCHD-015]',
  onHosts,
  async () => {
    const fleet = started()
    const host = fleet.node('web')
    const slow = await fleet.record(
      ...(await words(fleet, 'slow', NEVER, 'sleep 1000')),
      '--timeout-seconds',
      '2',
    )
    await fleet.record('schedule:run', String(slow['id']))
    await lastRun(fleet, slow, 'error')
    await destroy(fleet, slow)
    const running = await create(fleet, 'running', NEVER, 'sleep 6; echo whole')
    await fleet.record('schedule:run', String(running['id']))
    assert.equal((await destroy(fleet, running))['removed'], false)
    assert.equal((await show(fleet, running))['status'], 'removing')
    assert.equal(await state(host, timerOf(running)), 'inactive')
    await waitFor(60, async () => {
      const left = await fleet.records('schedule:list')
      return left.length === 0 ? true : undefined
    })
    const journal = await host.run(['journalctl', '--unit', serviceOf(running), '--output=cat', '--no-pager'])
    assert.match(journal, /^whole$/m)
    for (const path of filesOf(running)) assert.equal((await host.attempt(['ls', path])).status, 2, path)
  },
)

test(
  'a timer comes back with its Node and makes up for a time that was missed; what was edited is repaired, and what was removed meanwhile goes with the next converge [SCHD-018, DRF-049, DRF-050]',
  onHosts,
  async () => {
    const fleet = started()
    const host = fleet.node('web')
    const kept = await create(fleet, 'kept', 'daily', 'echo ran')
    const gone = await create(fleet, 'gone', NEVER, 'true')
    await host.run([
      'sh',
      '-c',
      `systemctl stop ${timerOf(kept)} && touch -d '3 days ago' /var/lib/systemd/timers/stamp-${timerOf(kept)}`,
    ])
    assert.deepEqual(await codes(fleet), ['schedule.timer_state_mismatch'])
    await host.kill()
    const refused = await fleet.refused('schedule:destroy', String(gone['id']), '--yes')
    assert.equal(refused.code, 'schedule.node_unreachable')
    assert.equal((await destroy(fleet, gone, '--offline'))['removed'], true)
    await host.revive()
    await lastRun(fleet, kept, 'success')
    assert.equal(await state(host, timerOf(kept)), 'active')
    const [script = '', timer = ''] = filesOf(kept)
    await host.run([
      'sh',
      '-c',
      `sed -i s/daily/weekly/ ${timer}; chmod 644 ${script}; systemctl daemon-reload`,
    ])
    assert.deepEqual(await codes(fleet), [
      'schedule.orphan_artifact',
      'schedule.artifact_permissions_mismatch',
      'schedule.calendar_mismatch',
    ])
    await fleet.record('node:converge', host.name, '--force')
    assert.deepEqual(await codes(fleet), [])
    assert.equal(await state(host, timerOf(gone)), 'inactive')
    await destroy(fleet, kept)
  },
)
