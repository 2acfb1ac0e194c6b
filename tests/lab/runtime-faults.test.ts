import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doctorReport } from '@fleet/contract'
import type { Host } from '../../lab/index.ts'
import type { JsonObject } from '../embedded/ask.ts'
import { askingSteps, diesInEach, type Sweep, victims, type Words } from './dying.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { onHosts } from './site.ts'
import { slowPrograms } from './slow-programs.ts'

const started = shareFleet({ name: 'rtf', nodes: [{ name: 'web', roles: ['app-prod'] }] })

const KINDS = ['process', 'schedule'] as const
type Kind = (typeof KINDS)[number]

/** What a Node has of it, and of nothing else: each runtime file of Fleet's with its state. */
const WALK = `
cd /etc/systemd/system
for unit in orbit-process-*.service fleet-schedule-*.timer; do
  [ -e "$unit" ] || continue
  echo "$unit $(systemctl is-active "$unit") $(systemctl is-enabled "$unit")"
done
ls -d fleet-schedule-*.service /etc/fleet/schedules/* /etc/fleet/processes/* /var/lib/systemd/timers/stamp-fleet-* 2>/dev/null
ls -A /etc/systemd/system /etc/fleet/schedules 2>/dev/null | grep -E '[.](tmp|fleet)' || true`
const NUMBERS = /\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+)\b/g

/** Ids are what differs between two that were created alike. */
const onNode = async (host: Host): Promise<string> =>
  (await host.run(['sh', '-c', WALK])).replaceAll(NUMBERS, '<id>')

async function creation(fleet: InstalledFleet, kind: Kind, name: string): Promise<Words> {
  const nodes = await fleet.records('node:list')
  const id = String(nodes.find((node) => node['name'] === fleet.node('web').name)?.['id'])
  return kind === 'process'
    ? [
        'process:create',
        'node',
        id,
        name,
        '--runtime=systemd',
        '--user=fleet',
        '--start',
        '--command=/bin/sleep',
        '--command=1000',
      ]
    : ['schedule:create', 'node', id, name, '2099-01-01', 'true']
}

const removal = (kind: Kind, { id }: JsonObject): Words => [`${kind}:destroy`, String(id), '--yes']

async function recordOf(fleet: InstalledFleet, kind: Kind, name: string): Promise<JsonObject | undefined> {
  const found = (await fleet.records(`${kind}:list`)).filter((record) => record['name'] === name)
  assert.ok(found.length <= 1, `${found.length} of ${name}`)
  return found[0]
}

async function codes(fleet: InstalledFleet): Promise<readonly string[]> {
  const words = KINDS.flatMap((kind) => ['--families', kind])
  const report = doctorReport.parse(await fleet.record('doctor', ...words))
  return report.nodes.flatMap(({ families }) =>
    families.flatMap(({ issues }) => issues.map(({ code }) => code)),
  )
}

for (const kind of KINDS)
  for (const victim of victims('web'))
    test(
      `a ${victim.name} that dies in any step of a ${kind} on its Node, created or removed, leaves a record with which the identical request finishes, and nothing besides`,
      onHosts,
      async (context) => {
        const fleet = started()
        const host = fleet.node('web')
        await using slow = await slowPrograms(host, ['systemctl', 'id'])
        const sweep: Sweep = { fleet, slow, victim, context }
        const create = await creation(fleet, kind, 'whole')
        const creating = await askingSteps(fleet, create)
        const whole = await onNode(host)
        const removing = await askingSteps(fleet, removal(kind, (await recordOf(fleet, kind, 'whole')) ?? {}))
        assert.equal(await onNode(host), '')
        assert.deepEqual([creating, removing], STEPS[kind])
        await diesInEach(
          sweep,
          creating,
          async () => create,
          async (request) => {
            assert.notEqual((await recordOf(fleet, kind, 'whole'))?.['status'], 'active')
            assert.equal((await fleet.record(...request))['status'], 'active')
            assert.equal(await onNode(host), whole)
            assert.deepEqual(await codes(fleet), [])
            await fleet.record(...removal(kind, (await recordOf(fleet, kind, 'whole')) ?? {}))
            assert.equal(await onNode(host), '')
          },
        )
        await diesInEach(
          sweep,
          removing,
          async () => removal(kind, await fleet.record(...create)),
          async (request) => {
            assert.equal((await recordOf(fleet, kind, 'whole'))?.['status'], 'removing')
            await fleet.record(...request)
            assert.equal(await recordOf(fleet, kind, 'whole'), undefined)
            assert.equal(await onNode(host), '')
          },
        )
        assert.deepEqual(await codes(fleet), [])
      },
    )

const STEPS: Readonly<Record<Kind, readonly [creating: readonly string[], removing: readonly string[]]>> = {
  process: [['account', 'unit', 'start'], ['unit']],
  schedule: [['install'], ['timer', 'artifacts']],
}

test(
  'on a full disk nothing is half-written, what ran goes on, and the identical request finishes when there is room',
  onHosts,
  async () => {
    const fleet = started()
    const host = fleet.node('web')
    for (const kind of KINDS) {
      const first = await fleet.record(...(await creation(fleet, kind, 'first')))
      const before = await onNode(host)
      const second = await creation(fleet, kind, 'second')
      await host.fillDisk()
      const refused = await fleet.refused(...second)
      assert.equal(refused.code, kind === 'process' ? 'process.runtime_failed' : 'schedule.install_failed')
      assert.equal((await recordOf(fleet, kind, 'second'))?.['status'], 'failed')
      assert.equal(await onNode(host), before)
      host.freeDisk()
      const made = await fleet.record(...second)
      assert.equal(made['status'], 'active')
      for (const record of [first, made]) await fleet.record(...removal(kind, record))
      assert.equal(await onNode(host), '')
    }
  },
)

test(
  'a Schedule of a taken name is refused, and one whose files somebody else has written is neither removed nor repaired [SCHD-024, SCHD-025]',
  onHosts,
  async () => {
    const fleet = started()
    const host = fleet.node('web')
    const words = await creation(fleet, 'schedule', 'taken')
    const schedule = await fleet.record(...words)
    const other: Words = [words[0], ...words.slice(1, -1), 'false']
    assert.equal((await fleet.refused(...other)).code, 'schedule.retry_conflict')
    const path = `/etc/systemd/system/fleet-schedule-${String(schedule['id'])}.service`
    const own = await host.run(['cat', path])
    const foreign = '[Service]\nExecStart=/bin/true\n'
    await host.run(['tee', path], { input: foreign })
    for (const request of [['schedule:run', String(schedule['id'])] as const, removal('schedule', schedule)])
      assert.equal((await fleet.refused(...request)).code, 'schedule.artifact_conflict', request[0])
    await fleet.gateway.fleet(['node:converge', host.name, '--force'])
    assert.equal(await host.run(['cat', path]), foreign)
    await host.run(['tee', path], { input: own })
    await fleet.record(...removal('schedule', schedule))
    assert.equal(await onNode(host), '')
  },
)
