import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { AgentViewStore, type RealtimeServer } from '@fleet/fleet'
import { Subscriber } from '@fleet/gateway/subscriber'
import { systemClock, systemIds } from '@fleet/kernel'
import { pino } from 'pino'
import { waitFor } from '../../lab/wait.ts'
import { type AgentBench, startAgentBench } from './agent-bench.ts'
import { onHosts, testLab } from './site.ts'

const UNIT = 'fleet-agent.service'
const NODE = 1

/** Seconds after the last event until an agent that is still a member counts as lost (AG-004). */
const SILENCE_SECONDS = 15
/** For what the specification calls at once: a scheduler that is busy with other hosts, and a look every 20 ms. */
const AT_ONCE_SECONDS = 2
/** The agent's own pauses before it is back: 2 s of its unit, 2 s and more of its own, and its start. */
const BACK_SECONDS = 40

interface Watched {
  readonly bench: AgentBench
  presence(): string
  /** Seconds until the gateway sees the agent so. Fails after `within` seconds. */
  until(state: string, within: number): Promise<number>
  /** Seconds since the agent's last event reached this machine. */
  silence(): number
}

const shared = new AsyncDisposableStack()
let watched: Promise<Watched> | undefined
after(() => shared.disposeAsync())

/** A real agent on a real host, and what the gateway makes of it. */
async function open(): Promise<Watched> {
  const lab = await testLab()
  const host = shared.use(await lab.host({ name: 'agent-states' }))
  await host.run(['useradd', '--create-home', 'deploy'])
  const bench = shared.use(await startAgentBench(lab, host, { name: 'deploy', home: '/home/deploy' }))
  const views = new AgentViewStore(systemClock)
  const stop = new AbortController()
  shared.defer(() => stop.abort())
  const current: RealtimeServer = bench.server
  const silent = {
    joined: () => undefined,
    left: () => undefined,
    memberAdded: () => undefined,
    memberRemoved: () => undefined,
    reported: () => undefined,
    gone: () => undefined,
  }
  const subscriber = new Subscriber({
    servers: async () => ({ current, leaving: [] }),
    managedNodes: async () => [NODE],
    rootCertificate: bench.rootCertificate,
    views,
    logs: { channel: () => silent },
    clock: systemClock,
    ids: systemIds,
    log: pino({ level: 'silent' }),
  })
  const running = subscriber.run(stop.signal)
  shared.defer(async () => {
    stop.abort()
    await running
  })
  const presence = (): string => views.of(NODE).presence
  const lastEvent = (): number =>
    bench.heard.findLast(({ userId }) => userId === `agent.${NODE}`)?.ticks ??
    assert.fail('the agent is silent')
  return {
    bench,
    presence,
    until: async (state, within) => {
      const start = performance.now()
      const found = await waitFor(within, async () => (presence() === state ? true : undefined))
      assert.ok(found, `${presence()} instead of ${state} after ${within} s`)
      return (performance.now() - start) / 1000
    },
    silence: () => (performance.now() - lastEvent()) / 1000,
  }
}

/** One agent for all tests, seen online at the start of each. */
async function withAgent(work: (watched: Watched) => Promise<void>): Promise<void> {
  const one = await (watched ??= open())
  await one.until('online', BACK_SECONDS)
  await work(one)
}

const reported = (context: TestContext, what: string, seconds: number): void =>
  context.diagnostic(`${what}: ${seconds.toFixed(2)} s`)

test(
  'an agent that is stopped is lost at once, and online again when it starts [AG-003, AG-005]',
  onHosts,
  (context) =>
    withAgent(async ({ bench, until }) => {
      await bench.host.run(['systemctl', 'stop', UNIT])
      reported(context, 'lost after the stop', await until('lost', AT_ONCE_SECONDS))
      await bench.host.run(['systemctl', 'start', UNIT])
      reported(context, 'online after the start', await until('online', BACK_SECONDS))
    }),
)

test(
  'an agent that is killed is lost at once, and its unit brings it back [AG-003, AG-005, AG-024]',
  onHosts,
  (context) =>
    withAgent(async ({ bench, until }) => {
      await bench.host.run(['systemctl', 'kill', '--kill-whom=main', '--signal=KILL', UNIT])
      reported(context, 'lost after the kill', await until('lost', AT_ONCE_SECONDS))
      reported(context, 'online after the kill', await until('online', BACK_SECONDS))
      const sequences = bench.said('client-snapshot').map(({ sequence }) => sequence)
      assert.ok(sequences.lastIndexOf(1) >= 0 || (sequences.at(-1) ?? 0) < 20, 'a new run counts from 1')
    }),
)

for (const [name, inject, clearFaults] of [
  [
    'is frozen',
    ({ host }: AgentBench) => host.run(['systemctl', 'kill', '--signal=STOP', UNIT]),
    ({ host }: AgentBench) => host.run(['systemctl', 'kill', '--signal=CONT', UNIT]),
  ],
  ['is cut off', ({ host }: AgentBench) => host.cutOff(), ({ host }: AgentBench) => host.restore()],
] as const)
  test(
    `an agent that ${name} is lost 15 s after its last event, and online with the next [AG-004, AG-005, LIM-013]`,
    onHosts,
    (context) =>
      withAgent(async ({ bench, until, silence }) => {
        await inject(bench)
        await until('lost', SILENCE_SECONDS + 5)
        const silent = silence()
        reported(context, 'lost after the last event', silent)
        assert.ok(Math.abs(silent - SILENCE_SECONDS) < 1, `${silent} s`)
        await clearFaults(bench)
        reported(context, 'online again', await until('online', BACK_SECONDS))
      }),
  )

test('an agent that has hardly any time to run stays online [AG-019]', onHosts, () =>
  withAgent(async ({ bench, presence }) => {
    await bench.host.run(['systemctl', 'set-property', '--runtime', UNIT, 'CPUQuota=5%'])
    const before = bench.said('client-heartbeat').length
    const fell = await waitFor(22, async () => (presence() === 'online' ? undefined : presence()))
    assert.equal(fell, undefined)
    const heartbeats = bench.said('client-heartbeat').length - before
    assert.ok(heartbeats >= 3 && heartbeats <= 6, `${heartbeats} heartbeats in 22 s`)
    await bench.host.run(['systemctl', 'set-property', '--runtime', UNIT, 'CPUQuota='])
  }),
)

test('an agent whose clock is hours ahead says so in `at` alone [AG-026]', onHosts, () =>
  withAgent(async ({ bench, until, presence }) => {
    const hours = 3
    await bench.host.moveClock(hours * 3600)
    await bench.host.run(['systemctl', 'restart', UNIT])
    await until('lost', AT_ONCE_SECONDS + 5).catch(() => 0)
    await until('online', BACK_SECONDS)
    const before = bench.said('client-heartbeat').length
    assert.equal(await waitFor(12, async () => (presence() === 'online' ? undefined : presence())), undefined)
    const heartbeats = bench.said('client-heartbeat').slice(before)
    assert.ok(heartbeats.length >= 2, `${heartbeats.length} heartbeats in 12 s`)
    const ahead = (Date.parse(heartbeats.at(-1)?.at ?? '') - Date.now()) / 3_600_000
    assert.ok(Math.abs(ahead - hours) < 0.1, `${ahead} h ahead`)
    await bench.host.resetClock()
    await bench.host.run(['systemctl', 'restart', UNIT])
  }),
)
