import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { doctorReport } from '@fleet/contract'
import type { JsonObject } from '../embedded/ask.ts'
import { type InstalledFleet, shareFleet } from './installed.ts'
import { onHosts } from './site.ts'

const started = shareFleet({ name: 'prc', nodes: [{ name: 'web', roles: ['app-prod'] }] })

const unitOf = ({ id, name }: JsonObject): string => `orbit-process-${String(id)}-${String(name)}.service`
const fileOf = (process: JsonObject): string => `/etc/systemd/system/${unitOf(process)}`

async function nodeId(fleet: InstalledFleet, { name }: Host): Promise<string> {
  const nodes = await fleet.records('node:list')
  return String(nodes.find((node) => node['name'] === name)?.['id'])
}

async function create(
  fleet: InstalledFleet,
  name: string,
  command: readonly string[],
  ...more: readonly string[]
): Promise<JsonObject> {
  const id = await nodeId(fleet, fleet.node('web'))
  const words = command.map((word) => `--command=${word}`)
  return fleet.record('process:create', 'node', id, name, '--runtime', 'systemd', ...more, ...words)
}

async function codes(fleet: InstalledFleet): Promise<readonly string[]> {
  const report = doctorReport.parse(await fleet.record('doctor', '--families', 'process'))
  return report.nodes.flatMap(({ families }) =>
    families.flatMap(({ issues }) => issues.map(({ code }) => code)),
  )
}

const listed = async (fleet: InstalledFleet, { id }: JsonObject): Promise<JsonObject> =>
  (await fleet.records('process:list')).find((process) => process['id'] === id) ?? {}

/** A host whose kernel has no controller for them knows neither. */
const propertiesOf = (host: Host, process: JsonObject): Promise<string> =>
  host.run(['systemctl', 'show', '--property=CPUUsageNSec,MemoryCurrent', unitOf(process)])

const active = async (host: Host, process: JsonObject): Promise<string> =>
  (await host.attempt(['systemctl', 'is-active', unitOf(process)])).stdout.trim()

test(
  'a command runs as a unit of systemd with every word as it was given, its log and its usage are read, and nothing stays after its removal [PROC-013]',
  onHosts,
  async () => {
    const fleet = started()
    const host = fleet.node('web')
    const words = ['$HOME', '50%', 'a "b"', String.raw`\n`, ';', '']
    const script = 'for word; do printf "<%s>\\n" "$word"; done; exec sleep 1000'
    const process = await create(fleet, 'echo', ['/bin/sh', '-c', script, 'sh', ...words], '--start')
    assert.deepEqual(
      [process['status'], process['desired_state'], process['runtime_status']],
      ['active', 'running', 'active'],
    )
    const log = await fleet.record('process:logs', String(process['id']))
    assert.deepEqual(
      String(log['logs'])
        .split('\n')
        .filter((line) => line.startsWith('<')),
      words.map((word) => `<${word}>`),
    )
    const [usage, own] = [await listed(fleet, process), await propertiesOf(host, process)]
    assert.equal(typeof usage['cpu'], /^CPUUsageNSec=\d{1,19}$/m.test(own) ? 'number' : 'object', own)
    assert.equal(
      typeof usage['memory_bytes'],
      /^MemoryCurrent=\d{1,19}$/m.test(own) ? 'number' : 'object',
      own,
    )
    assert.equal((await fleet.record('process:stop', String(process['id'])))['runtime_status'], 'inactive')
    assert.equal((await fleet.record('process:start', String(process['id'])))['runtime_status'], 'active')
    const main = await host.run(['systemctl', 'show', '--property=MainPID', '--value', unitOf(process)])
    await fleet.record('process:restart', String(process['id']))
    const other = await host.run(['systemctl', 'show', '--property=MainPID', '--value', unitOf(process)])
    assert.notEqual(main, other)
    await fleet.record('process:destroy', String(process['id']), '--yes')
    assert.equal((await host.attempt(['ls', fileOf(process)])).status, 2)
    assert.equal(await active(host, process), 'inactive')
    assert.equal((await host.attempt(['kill', '-0', other.trim()])).status, 1)
  },
)

test(
  'a unit runs with every value of its connection as it is stored, and with those of a change [DB-096]',
  onHosts,
  async () => {
    const fleet = started()
    const host = fleet.node('web')
    const odd = String.raw`a "b" $HOME ${'`c`'} \n '100%' ü`
    await fleet.record('database:create', 'cache', '--driver=redis', '--host=a.internal', `--username=${odd}`)
    const connected = ['--start', '--connections=cache:REDIS'] as const
    const process = await create(fleet, 'connected', ['/bin/sleep', '1000'], ...connected)
    const show = `systemctl show --property=MainPID --value ${unitOf(process)}`
    const values = async (): Promise<readonly string[]> => {
      const text = await host.run(['sh', '-c', `tr '\\0' '\\n' </proc/$(${show})/environ`])
      return text.split('\n').filter((line) => line.startsWith('REDIS_'))
    }
    const expected = (name: string): readonly string[] =>
      [`REDIS_CONNECTION=redis`, `REDIS_HOST=${name}`, 'REDIS_PORT=6379', `REDIS_USERNAME=${odd}`].toSorted()
    assert.deepEqual((await values()).toSorted(), expected('a.internal'))
    await fleet.record('database:update', 'cache', '--host=b.internal')
    assert.deepEqual((await values()).toSorted(), expected('b.internal'))
    assert.deepEqual([(await listed(fleet, process))['desired_state'], await codes(fleet)], ['running', []])
    const before = await host.run(['sh', '-c', show])
    await fleet.record('database:update', 'cache')
    assert.equal(await host.run(['sh', '-c', show]), before)
    await fleet.record('process:destroy', String(process['id']), '--yes')
    assert.equal((await host.attempt(['ls', '/etc/fleet/processes'])).status, 2)
    await fleet.record('database:destroy', 'cache', '--yes')
  },
)

test(
  'Doctor names a Process that was killed, edited or removed on the host or ends in a loop, and its next step repairs it [DRF-055]',
  onHosts,
  async () => {
    const fleet = started()
    const host = fleet.node('web')
    const process = await create(fleet, 'queue', ['/bin/sleep', '1000'], '--start')
    const text = await host.run(['cat', fileOf(process)])
    const breaks = [
      ['process.state_mismatch', `systemctl kill -s KILL ${unitOf(process)}; sleep 1`],
      ['process.unit_mismatch', `echo Nice=5 >>${fileOf(process)}`],
      [
        'process.runtime_missing',
        `systemctl stop ${unitOf(process)}; rm ${fileOf(process)}; systemctl daemon-reload`,
      ],
    ] as const
    for (const [code, line] of breaks) {
      assert.deepEqual(await codes(fleet), [])
      await host.run(['sh', '-c', line])
      assert.ok((await codes(fleet)).includes(code), code)
      await fleet.record('node:converge', host.name, '--force')
      assert.deepEqual(await codes(fleet), [], code)
      assert.equal(await host.run(['cat', fileOf(process)]), text)
      assert.equal(await active(host, process), 'active')
    }
    const loop = await create(fleet, 'loop', ['/bin/false'], '--restart-policy', 'always', '--start')
    assert.deepEqual(await codes(fleet), ['process.crash_loop'])
    await fleet.record('process:stop', String(loop['id']))
    assert.deepEqual(await codes(fleet), [])
    for (const { id } of [process, loop]) await fleet.record('process:destroy', String(id), '--yes')
  },
)

test(
  'a Process comes back with its Node, a unit of somebody else is kept, and one that was removed in the meantime goes with the next converge',
  onHosts,
  async () => {
    const fleet = started()
    const host = fleet.node('web')
    const kept = await create(fleet, 'kept', ['/bin/sleep', '1000'], '--start')
    const gone = await create(fleet, 'gone', ['/bin/sleep', '1000'], '--start')
    const foreign = await create(fleet, 'foreign', ['/bin/sleep', '1000'])
    await host.run(['sh', '-c', `printf '[Service]\nExecStart=/bin/true\n' >${fileOf(foreign)}`])
    assert.equal(
      (await fleet.refused('process:destroy', String(foreign['id']), '--yes')).code,
      'process.unit_conflict',
    )
    await host.run(['rm', fileOf(foreign)])
    await fleet.record('process:destroy', String(foreign['id']), '--yes')
    const id = await nodeId(fleet, host)
    const other = [
      'process:create',
      'node',
      id,
      'kept',
      '--runtime',
      'systemd',
      '--command=/bin/true',
    ] as const
    assert.equal((await fleet.refused(...other)).code, 'process.name_taken')
    await host.kill()
    assert.equal(
      (await fleet.refused('process:destroy', String(gone['id']), '--yes')).code,
      'process.node_unreachable',
    )
    const removed = await fleet.record('process:destroy', String(gone['id']), '--yes', '--offline')
    assert.equal(JSON.stringify(removed['retained_on_nodes']).includes(unitOf(gone)), true)
    await host.revive()
    assert.equal(
      await waitFor(30, async () => ((await active(host, kept)) === 'active' ? true : undefined)),
      true,
    )
    await fleet.record('node:converge', host.name, '--force')
    assert.equal((await host.attempt(['ls', fileOf(gone)])).status, 2)
    assert.equal(await active(host, gone), 'inactive')
    await fleet.record('process:destroy', String(kept['id']), '--yes')
  },
)
