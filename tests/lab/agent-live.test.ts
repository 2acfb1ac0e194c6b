import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import { type AgentBench, startAgentBench } from './agent-bench.ts'
import { fileOn, onHosts, testLab } from './site.ts'

const UNIT = 'fleet-agent.service'
const HOME = '/home/deploy'
const CHECKOUT = `${HOME}/apps/shop`
const LOG = `${CHECKOUT}/storage/logs/laravel.log`
const CONTAINER = 'orbit-process-8-db'
const id = (digit: string): string => digit.repeat(32)

const shared = new AsyncDisposableStack()
let bench: Promise<AgentBench> | undefined
after(() => shared.disposeAsync())

/** Each test begins with an agent that runs and a unit that runs. */
async function withAgent(work: (bench: AgentBench) => Promise<void>): Promise<void> {
  const ready = await (bench ??= open())
  await shell(ready.host, `systemctl start ${UNIT} orbit-process-7-queue; docker start ${CONTAINER}`)
  const before = ready.said('client-heartbeat').length
  await until('the agent lives', () => ready.said('client-heartbeat').length > before)
  await work(ready)
}

async function open(): Promise<AgentBench> {
  const lab = await testLab()
  const host = shared.use(await lab.host({ name: 'agent-live', roles: ['database'] }))
  await shell(host, MACHINE)
  return shared.use(await startAgentBench(lab, host, { name: 'deploy', home: HOME }))
}

/** A managed user with a closed home, a checkout's log, a unit that reports the time, and a container made from the host's own shell. */
const MACHINE = `
useradd --create-home deploy && chmod 700 ${HOME}
su deploy -c 'umask 022; mkdir -p ${HOME}/apps/shop/storage/logs; printf "old 1\\nold 2\\n" >${LOG}'
cat >/etc/systemd/system/orbit-process-7-queue.service <<'UNIT'
[Service]
ExecStart=/bin/sh -c 'while :; do echo tick; sleep 0.2; done'
UNIT
systemctl daemon-reload && systemctl start orbit-process-7-queue.service
mkdir -p /tmp/i/bin /tmp/i/lib64 /tmp/i/lib/x86_64-linux-gnu
cp -L /bin/sh /bin/sleep /tmp/i/bin && cp -L /lib64/ld-linux-x86-64.so.2 /tmp/i/lib64
cp -L /lib/x86_64-linux-gnu/libc.so.6 /tmp/i/lib/x86_64-linux-gnu
systemctl start docker
tar -C /tmp/i -c . | docker import - tiny
docker run --detach --name ${CONTAINER} --network none --label fleet.managed=true --label fleet.process.id=8 tiny /bin/sh -c 'echo begun; while :; do sleep 0.2; echo tock; done'
`
const shell = (host: Host, script: string): Promise<string> =>
  host.run(['bash', '-eu', '-c', script], { timeoutSeconds: 60 })

const property = async (host: Host, name: string): Promise<string> =>
  (await host.run(['systemctl', 'show', `--property=${name}`, '--value', UNIT])).trim()

async function until(what: string, holds: () => boolean): Promise<void> {
  const found = await waitFor(40, async () => (holds() ? true : undefined))
  assert.ok(found, what)
}

/** Ends the agent; all that it said was heard when the server tells that it left. */
async function leave({ host, heard }: AgentBench): Promise<void> {
  const gone = (): number => heard.filter(({ event }) => event === 'pusher:member_removed').length
  const before = gone()
  await host.run(['systemctl', 'stop', UNIT])
  await until('the agent left both channels', () => gone() === before + 2)
}

/** The units of the last snapshot, by name. */
const snapshot = (bench: AgentBench) =>
  Object.fromEntries(
    bench
      .said('client-snapshot')
      .at(-1)
      ?.units.map(({ name, runtime_status }) => [name, runtime_status]) ?? [],
  )
const changes = (bench: AgentBench, name: string): readonly string[] =>
  bench.said('client-process').flatMap(({ unit }) => (unit.name === name ? [unit.runtime_status] : []))

test(
  'units and containers of a real host are reported, and each of their changes by itself [AG-020, AG-021, AG-027, AG-031, AG-032]',
  onHosts,
  () =>
    withAgent(async (bench) => {
      const { host } = bench
      await leave(bench)
      const snapshots = bench.said('client-snapshot').length
      await host.run(['systemctl', 'start', UNIT])
      await until('a snapshot', () => bench.said('client-snapshot').length > snapshots)
      assert.deepEqual(snapshot(bench), { 'orbit-process-7-queue': 'active', [CONTAINER]: 'running' })
      const heartbeats = bench.said('client-heartbeat').length
      await host.run(['systemctl', 'kill', '--signal=KILL', 'orbit-process-7-queue'])
      await until('the failed unit', () => changes(bench, 'orbit-process-7-queue').at(-1) === 'failed')
      await shell(host, 'systemctl reset-failed orbit-process-7-queue; systemctl start orbit-process-7-queue')
      await until('the started unit', () => changes(bench, 'orbit-process-7-queue').at(-1) === 'active')
      await host.run(['docker', 'kill', CONTAINER])
      await until('the ended container', () => changes(bench, CONTAINER).at(-1) === 'exited')
      await host.run(['docker', 'start', CONTAINER])
      await until('the started container', () => changes(bench, CONTAINER).at(-1) === 'running')
      await host.run(['systemctl', 'stop', 'docker.service', 'docker.socket'], { timeoutSeconds: 60 })
      await until('Docker is gone', () => bench.said('client-snapshot').at(-1)?.docker === 'absent')
      await host.run(['systemctl', 'start', 'docker.service'], { timeoutSeconds: 60 })
      await until('Docker is back', () => bench.said('client-snapshot').at(-1)?.docker === 'available')
      await host.run(['docker', 'start', CONTAINER])
      await until('heartbeats', () => bench.said('client-heartbeat').length > heartbeats)
    }),
)

test(
  'a framework file below a closed home, the journal of a unit and a container are streamed, and keys masked [AGT-007, LOG-004, LOGS-009, LOGS-023]',
  onHosts,
  () =>
    withAgent(async (bench) => {
      const { host } = bench
      await host.run(['docker', 'start', CONTAINER])
      const lines = (stream: string): readonly string[] =>
        bench.said('client-log').flatMap((one) => (one.stream === stream ? one.lines : []))
      const began = performance.now()
      await bench.stream([
        { id: id('a'), lines: 10, source: { type: 'laravel', path: LOG, checkout: CHECKOUT } },
        { id: id('b'), lines: 3, source: { type: 'journal', unit: 'orbit-process-7-queue.service' } },
        { id: id('c'), lines: 3, source: { type: 'docker', container: CONTAINER, process_id: 8 } },
      ])
      for (const stream of [id('a'), id('b'), id('c')])
        await until(`lines of ${stream}`, () => lines(stream).length >= 2)
      for (const digit of ['a', 'b', 'c']) {
        const first = bench.heard.find(
          ({ event, data }) => event === 'client-log' && JSON.stringify(data).includes(id(digit)),
        )
        console.log(`first lines of ${digit}: ${Math.round((first?.ticks ?? 0) - began)} ms`)
      }
      await shell(
        host,
        `su deploy -c 'printf -- "-----BEGIN PRIVATE KEY-----\\nSECRET\\n-----END PRIVATE KEY-----\\nnew\\n" >>${LOG}'`,
      )
      await until('the new line', () => lines(id('a')).includes('new'))
      assert.deepEqual(lines(id('a')), ['old 1', 'old 2', '[REDACTED]', '[REDACTED]', '[REDACTED]', 'new'])
      const [ticks, tocks] = [lines(id('b')).length, lines(id('c')).length]
      await until('more of the journal', () => lines(id('b')).length > ticks + 5)
      await until('more of the container', () => lines(id('c')).length > tocks + 5)
      assert.ok(
        lines(id('b')).every(
          (line) =>
            line === 'tick' ||
            /^(?:Started|Stopped|Stopping) /.test(line) ||
            line.startsWith('orbit-process-7'),
        ),
      )
      for (const stream of [id('a'), id('b'), id('c')]) {
        const numbers = bench
          .said('client-log')
          .flatMap((one) => (one.stream === stream ? [one.sequence] : []))
        assert.deepEqual(
          numbers,
          numbers.map((_, index) => index + 1),
        )
      }
      await bench.stream([])
      assert.equal(JSON.stringify(bench.heard).includes('SECRET'), false)
    }),
)

test('an agent at rest writes nothing and uses next to nothing', onHosts, () =>
  withAgent(async ({ host }) => {
    const pid = await property(host, 'MainPID')
    const figures = async () => {
      const io = (await fileOn(host, `/proc/${pid}/io`)) ?? ''
      const stat = ((await fileOn(host, `/proc/${pid}/stat`)) ?? '').split(' ')
      return { written: /^write_bytes: (\d+)$/m.exec(io)?.[1], ticks: Number(stat[13]) + Number(stat[14]) }
    }
    const before = await figures()
    await waitFor(10, async () => undefined)
    const later = await figures()
    assert.equal(later.written, before.written)
    assert.ok(later.ticks - before.ticks <= 10, `${later.ticks - before.ticks} ticks in 10 s`)
    const status = (await fileOn(host, `/proc/${pid}/status`)) ?? ''
    console.log(
      /^VmRSS:.*$/m.exec(status)?.[0],
      /^RssAnon:.*$/m.exec(status)?.[0],
      `${later.ticks - before.ticks} ticks in 10 s`,
    )
  }),
)

test(
  'a killed agent leaves at once and comes back as a new run; a frozen one is silent, and continues when it thaws; a stopped one leaves [AG-003, AG-005, AG-024]',
  onHosts,
  () =>
    withAgent(async (bench) => {
      const { host, heard } = bench
      const reported = (event: string): number =>
        heard.filter((one) => one.event === event && one.channel === 'presence-node.1').length
      const removed = reported('pusher:member_removed')
      const pid = await property(host, 'MainPID')
      await host.run(['kill', '-STOP', pid])
      const before = bench.said('client-heartbeat').length
      await waitFor(7, async () => undefined)
      assert.equal(bench.said('client-heartbeat').length, before)
      await host.run(['kill', '-CONT', pid])
      await until('heartbeats continue', () => bench.said('client-heartbeat').length > before)
      assert.equal(reported('pusher:member_removed'), removed)
      const added = reported('pusher:member_added')
      await host.run(['kill', '-KILL', pid])
      await until('the agent is gone', () => reported('pusher:member_removed') === removed + 1)
      await until('the agent is back', () => reported('pusher:member_added') === added + 1)
      await until('its numbers begin anew', () => bench.said('client-heartbeat').at(-1)?.sequence === 1)
      await host.run(['systemctl', 'stop', UNIT])
      await until('the stopped agent is gone', () => reported('pusher:member_removed') === removed + 2)
    }),
)
