// The first line of a live log, from its first renewal to the browser's library: gateway, WebSocket server and agent are real
// and talk over TLS. Beside it the end of the same file by `tail` over a connection of raw ssh2 that is open already.
import { createHash } from 'node:crypto'
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attend } from '@fleet/agent/attend'
import { makeGateway } from '@fleet/agent/gateway'
import { Secret, systemClock, systemIds } from '@fleet/kernel'
import { addInstance, addProject } from '@fleet/testing'
import type { LiveClient } from '../tests/live/client.ts'
import { type LiveWorld, startLiveWorld, until } from '../tests/live/world.ts'
import { type Measure, measure, percentile, sideBySide } from './measure.ts'
import { connectRaw } from './raw-ssh.ts'
import { startSshServer } from './ssh-server.ts'

const TIMES = 60
const LINES = 100
const SECRET = 'a'.repeat(64)
const NOBODY = 65_534
const LOG = 'storage/logs/laravel.log'

export async function* run(): AsyncGenerator<Measure> {
  const checkout = mkdtempSync(join(tmpdir(), 'fleet-bench-log-'))
  mkdirSync(join(checkout, 'storage/logs'), { recursive: true })
  const lines = Array.from(
    { length: 10 * LINES },
    (_, at) => `[2026-01-01 00:00:00] local.INFO: line ${at}\n`,
  )
  writeFileSync(join(checkout, LOG), lines.join(''))
  // No agent reads what belongs to root.
  if (process.getuid?.() === 0) chownSync(join(checkout, LOG), NOBODY, NOBODY)
  await using server = await startSshServer()
  using raw = await connectRaw(server.target, server.key)
  await using world = await startLiveWorld()
  const streams = await instanceAt(world, checkout)
  const stop = new AbortController()
  const agent = attend(agentOf(world), stop.signal)
  using client = await world.client()
  try {
    await until('the agent is followed', async () => (await open(world, streams, client)) !== undefined)
    const first: number[] = []
    const beside = await sideBySide(
      TIMES,
      async () => first.push(await firstLine(world, streams, client)),
      () => raw.run(`tail -n ${LINES} '${join(checkout, LOG)}'`),
    )
    // Opening and subscribing come before the renewal and do not count.
    const ours = first.slice(-beside.ours.length)
    for (const [name, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const)
      yield measure(
        `log-first-line-${name}`,
        'ms',
        percentile(ours, share),
        `tail over raw ssh2, ${server.name}`,
        percentile(beside.theirs, share),
      )
  } finally {
    stop.abort()
    await agent
    rmSync(checkout, { recursive: true, force: true })
  }
}

/** An Instance on the gateway's own machine, whose address this process has. Answers where its streams are opened. */
async function instanceAt({ fleet }: LiveWorld, checkout_path: string): Promise<string> {
  const { store, nodes } = fleet
  const agent_secret_hash = createHash('sha256').update(SECRET).digest('hex')
  await store.db.updateTable('nodes').set({ agent_secret_hash }).where('id', '=', nodes.gateway).execute()
  const profile = { application_directory: '', framework: 'laravel', php: true } as const
  const project = await addProject(store, { slug: 'bench' })
  const { id } = await addInstance(store, {
    project_id: project.id,
    node_id: nodes.gateway,
    profile,
    checkout_path,
    vite_port: 15_999,
  })
  return `/api/v1/instances/${id}/log-streams`
}

function agentOf({ fleet }: LiveWorld): Parameters<typeof attend>[0] {
  const configuration = {
    gatewayUrl: new URL(fleet.url),
    gatewayAddress: '127.0.0.1',
    rootCertificate: fleet.ca,
    secret: new Secret(SECRET),
  }
  return {
    gateway: makeGateway(configuration, systemClock),
    rootCertificate: fleet.ca,
    machine: { bus: '/nonexistent', docker: '/nonexistent' },
    clock: systemClock,
    ids: systemIds,
    say: () => undefined,
  }
}

interface Opened {
  readonly id: string
  readonly channel: string
  readonly auth: string
}

async function open({ fleet }: LiveWorld, streams: string, client: LiveClient): Promise<Opened | undefined> {
  const { text } = await fleet.ask('POST', streams, { body: { socket_id: client.socketId, lines: LINES } })
  return (JSON.parse(text) as { readonly data?: Opened }).data // The answer of the contract, or a refusal.
}

/** Milliseconds from the first renewal of a stream to the first event with lines of it. */
async function firstLine(world: LiveWorld, streams: string, client: LiveClient): Promise<number> {
  const stream = await open(world, streams, client)
  if (!stream) throw new Error('no stream can be opened')
  const channel = await client.join(stream.channel, stream.auth)
  const reported = new Promise((resolve) => channel.bind('log.lines', resolve))
  const start = performance.now()
  await world.fleet.ask('PUT', `${streams}/${stream.id}`)
  await reported
  const taken = performance.now() - start
  await world.fleet.ask('DELETE', `${streams}/${stream.id}`)
  client.leave(stream.channel)
  return taken
}
