import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeSession, type NodeSession, type NodeAgent, type NodeRecord } from '@fleet/fleet'
import { type RunningGateway, startGateway } from '@fleet/gateway'
import { readRootCertificate } from '@fleet/pki'
import type { SshPool } from '@fleet/ssh'
import type { Store } from '@fleet/store'
import { fakeCall, nodeRecord, openTestStore } from '@fleet/testing'
import type { Host, Lab } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { nodeAgent } from './node-agent.ts'
import { fileOn, onHosts, poolOf, targetOf, testLab } from './site.ts'

const HOME = '/etc/fleet/agent'
const UNIT = 'fleet-agent.service'

/** A host that a gateway on this machine knows by its address, with the agent's own way onto it. */
interface Bench {
  readonly host: Host
  readonly store: Store
  readonly agent: NodeAgent
  readonly converge: () => Promise<'applied' | 'unchanged'>
  readonly commands: string[]
  readonly session: NodeSession
}

/** One host and one gateway for all tests: the executable is large, and each test begins by putting everything right. */
const shared = new AsyncDisposableStack()
let bench: Promise<Bench> | undefined
after(() => shared.disposeAsync())

const withAgent = async (work: (bench: Bench) => Promise<void>): Promise<void> =>
  work(await (bench ??= open()))

async function open(): Promise<Bench> {
  const lab = await testLab()
  const host = shared.use(await lab.host({ name: 'agent' }))
  const pool = shared.use(poolOf(lab))
  // The gateway closes it when it stops.
  const store = await openTestStore()
  const home = mkdtempSync(join(tmpdir(), 'fleet-agent-lab-'))
  shared.defer(() => rmSync(home, { recursive: true, force: true }))
  const gateway = await gatewayOn(lab, home, store, pool)
  shared.defer(() => gateway.stop())
  const node = await enter(gateway, host)
  const commands: string[] = []
  const session = await machineOf(host, node, pool, commands)
  const agent = await agentOf(store, gateway, home)
  const converge = () => agent.converge(session, { force: false })
  return { host, store, agent, converge, commands, session }
}

const gatewayOn = (lab: Lab, home: string, store: Store, ssh: SshPool): Promise<RunningGateway> =>
  startGateway(
    {
      home,
      listen: [{ address: lab.addresses.machine, port: 0 }],
      names: ['gateway.fleet'],
      name: 'gateway',
      version: 'test',
      log: 'silent',
    },
    { store, ssh },
  )

async function enter(gateway: RunningGateway, host: Host): Promise<NodeRecord> {
  const entered = await gateway.registry.put({
    name: host.name,
    status: 'active',
    platform: 'linux',
    architecture: 'x86_64',
    user: 'root',
    user_home: '/root',
    wireguard_ip: host.address,
    ssh_host_fingerprint: await host.fingerprint(),
    ssh_port: 22,
    roles: ['app-dev'],
    access: { to: [], by: [] },
  })
  return nodeRecord({ ...entered })
}

async function machineOf(
  host: Host,
  node: NodeRecord,
  pool: SshPool,
  commands: string[],
): Promise<NodeSession> {
  const target = await targetOf(host)
  return makeSession({
    call: fakeCall(),
    node,
    login: 'root',
    send: (_call, command) => {
      commands.push(command.shown)
      return pool.run(target, command, { timeoutMilliseconds: 120_000 })
    },
  })
}

function agentOf(store: Store, gateway: RunningGateway, home: string): Promise<NodeAgent> {
  const { hostname, port } = new URL(gateway.urls[0] ?? '')
  return nodeAgent(store, {
    url: `https://gateway.fleet:${port}`,
    address: hostname,
    rootCertificate: readRootCertificate(join(home, 'ca')).certificate,
  })
}

const property = async (host: Host, name: string): Promise<string> =>
  (await host.run(['systemctl', 'show', `--property=${name}`, '--value', UNIT])).trim()

/** What the process that runs now has written to the journal. */
const said = async (host: Host): Promise<string> =>
  host.run(['journalctl', `_PID=${await property(host, 'MainPID')}`, '--output=cat', '--no-pager'])

const untilSaid = async (host: Host, text: string): Promise<void> => {
  const found = await waitFor(40, async () => ((await said(host)).includes(text) ? true : undefined))
  assert.ok(found, `the agent says: ${text}`)
}

test(
  'an agent answers, nobody else reads its files, and a second converge is one command [AGT-011, AGT-012, AGT-018, AGT-021]',
  onHosts,
  () =>
    withAgent(async ({ host, converge, commands }) => {
      await converge()
      await untilSaid(host, 'the gateway answers; the fleet has no realtime service')
      assert.equal(
        await host.run(['stat', '--format=%U %a %n', HOME, `${HOME}/secret`, '/opt/fleet/bin/fleet']),
        `root 700 ${HOME}\nroot 600 ${HOME}/secret\nroot 755 /opt/fleet/bin/fleet\n`,
      )
      assert.equal(await property(host, 'UnitFileState'), 'enabled')
      const pid = await property(host, 'MainPID')
      commands.splice(0)
      const began = performance.now()
      assert.equal(await converge(), 'unchanged')
      assert.ok(performance.now() - began < 3000, 'an unchanged converge takes less than 3 s')
      assert.equal(commands.length, 1)
      assert.equal(await property(host, 'MainPID'), pid)
    }),
)

test('the agent has no capability, cannot gain any, and is small and idle [AGT-020]', onHosts, () =>
  withAgent(async ({ host, converge }) => {
    await converge()
    await untilSaid(host, 'the gateway answers')
    const pid = await property(host, 'MainPID')
    const status = (await fileOn(host, `/proc/${pid}/status`)) ?? ''
    const value = (name: string): string => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? ''
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      assert.equal(value(set), '0000000000000000', set)
    assert.equal(value('NoNewPrivs'), '1')
    assert.ok(Number(value('VmRSS')) < 120_000, `${value('VmRSS')} kB of memory`)
    const ticks = async (): Promise<number> => {
      const stat = ((await fileOn(host, `/proc/${pid}/stat`)) ?? '').split(' ')
      return Number(stat[13]) + Number(stat[14])
    }
    const before = await ticks()
    await waitFor(6, async () => undefined)
    const used = (await ticks()) - before
    assert.ok(used <= 5, `an idle agent used ${used} ticks in 6 s`)
  }),
)

test('a second agent of a host ends at once, and the first continues [AGT-020]', onHosts, () =>
  withAgent(async ({ host, converge }) => {
    await converge()
    const pid = await property(host, 'MainPID')
    const second = await host.attempt(['/opt/fleet/bin/fleet', 'node-agent'])
    assert.equal(second.status, 75)
    assert.match(second.stderr, /another agent is running/)
    assert.equal(await property(host, 'MainPID'), pid)
  }),
)

test(
  'an agent whose secret is gone ends and is started again; the next converge gives it a new one [AGT-014, AGT-017]',
  onHosts,
  () =>
    withAgent(async ({ host, converge, store }) => {
      await converge()
      const first = await fileOn(host, `${HOME}/secret`)
      await host.run(['rm', `${HOME}/secret`])
      await host.run(['systemctl', 'restart', UNIT])
      const tried = await waitFor(40, async () =>
        Number(await property(host, 'NRestarts')) >= 2 ? true : undefined,
      )
      assert.ok(tried, 'the unit starts it again and again')
      const log = await host.run(['journalctl', `--unit=${UNIT}`, '--output=cat', '--no-pager'])
      assert.match(log, /the file secret of the agent cannot be read/)
      assert.equal(await converge(), 'applied')
      const second = await fileOn(host, `${HOME}/secret`)
      assert.ok(second !== undefined && second !== first)
      await untilSaid(host, 'the gateway answers')
      const rows = await store.db.selectFrom('nodes').select('agent_secret_hash').execute()
      assert.ok(!JSON.stringify(rows).includes(second))
    }),
)

test('an agent outlives the way to its gateway and finds it again', onHosts, () =>
  withAgent(async ({ host, converge }) => {
    await converge()
    await host.cutOff()
    try {
      await host.run(['systemctl', 'restart', UNIT])
      await untilSaid(host, 'unexpected response of the gateway')
    } finally {
      await host.restore()
    }
    const pid = await property(host, 'MainPID')
    await untilSaid(host, 'the gateway answers')
    assert.equal(await property(host, 'MainPID'), pid)
  }),
)

test(
  'a power cut in the middle of a converge leaves what the identical request finishes [AGT-015]',
  onHosts,
  () =>
    withAgent(async ({ host, converge }) => {
      await converge()
      await host.run(['rm', '-r', HOME])
      await host.run(['sync'])
      const cut = converge()
      cut.catch(() => undefined)
      await waitFor(60, async () => ((await fileOn(host, `${HOME}/secret`)) === undefined ? undefined : true))
      await host.kill()
      await assert.rejects(cut)
      await host.revive()
      assert.equal(await converge(), 'applied')
      await untilSaid(host, 'the gateway answers')
      assert.equal(await converge(), 'unchanged')
    }),
)

test('removal leaves nothing of the agent on the host', onHosts, () =>
  withAgent(async ({ host, converge, agent, session }) => {
    await converge()
    await agent.remove(session)
    const places = [
      '/etc/fleet',
      '/opt/fleet',
      '/usr/local/bin/fleet',
      '/run/fleet-agent',
      `/etc/systemd/system/${UNIT}`,
    ]
    for (const path of places) assert.notEqual((await host.attempt(['test', '-e', path])).status, 0, path)
    assert.equal(await property(host, 'MainPID'), '0')
  }),
)
