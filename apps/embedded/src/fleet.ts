import { mkdirSync } from 'node:fs'
import { type GatewayOptions, type RunningGateway, startGateway } from '@fleet/gateway'
import { startAgents } from './agents.ts'
import { type Announcement, withdraw } from './announcement.ts'
import type { EmbeddedEnv } from './env.ts'
import { type SampleGit, startSampleGit } from './sample/git.ts'
import { type Home, openHome } from './home.ts'
import { withExecutable } from './executable.ts'
import { thisMachine } from './machine.ts'
import { embeddedNodes } from './node-names.ts'
import { startFeed } from './feed.ts'
import { startNodes } from './nodes.ts'
import { requireAddresses, requireGit } from './preflight.ts'
import { StartRefused } from './refusal.ts'
import { writeTrustBundle } from './trust-bundle.ts'
import { startWeb } from './web/servers.ts'

/** The whole fleet in this process. */
export interface RunningFleet {
  readonly home: Home
  readonly baseUrl: string
  readonly caFile: string
  readonly nodes: Announcement['nodes']
  readonly websocket: Announcement['websocket']
  readonly sampleGit: SampleGit
  /** Address of the sites of the first Node under a name below `localhost`, or why there is none. */
  readonly web: { readonly port: number } | { readonly problem: string }
  /** Every Node has its agent. */
  readonly hasAgents: boolean
  /** Lets work in progress finish, then closes everything from the outside in. */
  stop(): Promise<void>
}

/**
 * Starts gateway, Nodes, the WebSocket server and the repository server, in this order: each later one needs something of the earlier;
 * the agents of the Nodes come last.
 * What was started is stopped again when a later part fails. Throws StartRefused where a person can help.
 */
export async function startFleet(env: EmbeddedEnv): Promise<RunningFleet> {
  requireGit(env.programs)
  const nodes = embeddedNodes(env.nodes)
  await requireAddresses(nodes.map(({ address }) => address))
  await using stack = new AsyncDisposableStack()
  const home = stack.adopt(openHome(env.home), (opened) => opened.release())
  stack.defer(() => withdraw(home.path))
  const bundle = home.in('ca', 'bundle.crt')
  const caFile = home.in('ca', 'root.crt')
  const web = stack.use(
    await startWeb({ home, nodes, gatewayPort: env.port, caFile, programs: env.programs }),
  )
  const local = 'local' in web ? web.local : undefined
  const gateway = stack.adopt(await openGateway(env, home, { bundle, local }), (running) => running.stop())
  writeTrustBundle(bundle, gateway.caFile)
  const programs = withExecutable(home, env.programs)
  const environment = { ...programs, GIT_SSL_CAINFO: bundle }
  const running = stack.use(
    await startNodes({ home, nodes, machine: thisMachine(), gateway, gatewayPort: env.port, environment }),
  )
  const websocket = stack.use(
    await startFeed({ home, gateway, gatewayPort: env.port, nodeId: running.gatewayId }),
  )
  const sampleGit = await startSampleGit(
    { home, gateway, gatewayPort: env.port, programs: env.programs, make: env.sample },
    stack,
  )
  stack.use(startAgents({ gateway, agents: running.agents }))
  // Requests in progress finish first, and they may need Nodes and repository until then.
  stack.defer(() => gateway.stop())
  // From here on the caller stops the fleet.
  const owned = stack.move()
  return {
    home,
    baseUrl: gateway.urls[0] ?? '',
    caFile: gateway.caFile,
    nodes: running.entered,
    websocket: websocket.announced,
    hasAgents: running.agents.length > 0,
    sampleGit,
    web: local
      ? { port: local.portOf(nodes[0]?.address ?? '') ?? 0 }
      : { problem: 'problem' in web ? web.problem : '' },
    stop: () => owned.disposeAsync(),
  }
}

async function openGateway(
  env: EmbeddedEnv,
  home: Home,
  { bundle, local }: { readonly bundle: string; readonly local: GatewayOptions['local'] },
): Promise<RunningGateway> {
  mkdirSync(home.in('git'), { recursive: true, mode: 0o700 })
  try {
    return await startGateway({
      home: home.path,
      listen: [{ address: '127.0.0.1', port: env.port }],
      databaseUrl: env.databaseUrl,
      appKey: env.appKey,
      names: ['gateway.fleet', 'localhost'],
      name: 'gateway',
      version: env.version,
      log: env.log ?? 'json',
      logFile: env.log === undefined ? home.in('gateway.log') : undefined,
      local,
      gitEnvironment: { ...env.programs, GIT_SSL_CAINFO: bundle },
    })
  } catch (error) {
    throw asRefusal(error, env.port)
  }
}

/** What the person can set right by the message alone: a taken home or port, a wrong or missing key, a damaged authority. */
const TOLD = new Set([
  'HomeInUse',
  'WrongKey',
  'AppKeyInvalid',
  'AppKeyFileRefused',
  'RootUnavailable',
  'SshKeyUnavailable',
  'Unavailable',
])

function asRefusal(error: unknown, port: number): unknown {
  if (!(error instanceof Error)) return error
  if (TOLD.has(error.name)) return new StartRefused(error.message, { cause: error })
  if (!isTaken(error)) return error
  return new StartRefused(
    `Another program is using port ${port} on 127.0.0.1.\n` +
      `Stop that program, or use another port: FLEET_EMBEDDED_PORT=${port + 1} npm start`,
    { cause: error },
  )
}

const isTaken = (error: Error): boolean =>
  ('code' in error && error.code === 'EADDRINUSE') || (error.cause instanceof Error && isTaken(error.cause))
