import type { ProcessRuntime } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { NodeScript, NodeSession } from '#/nodes/api.ts'
import type { Call } from '#/call.ts'
import { readContainers } from '#/processes/commands/containers.ts'
import { readUnits, type UnitReading } from '#/processes/commands/read-units.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { artifactNameOf, unitNameOf } from '#/processes/unit.ts'

/** What is seen of a Process at this moment. */
export interface Observation {
  /** Undefined when no source answers. */
  readonly status: string | undefined
  readonly cpu: number | null
  readonly memoryBytes: number | null
}

type ObserveDeps = Pick<ProcessesDeps, 'nodes' | 'views' | 'clock'>

/** PROC-037 */
const OWN_MILLISECONDS = 30_000
/** Nodes that are asked at the same time. */
const NODES_AT_ONCE = 16

/**
 * Status and usage of each Process by its id. The status is that read after an own action for 30 s, then that of a fresh
 * view of the agent, then that of the Node over SSH; the usage is read over SSH (PROC-037, PROC-038).
 */
export async function observe(
  deps: ObserveDeps,
  call: Call,
  processes: readonly ProcessRecord[],
): Promise<ReadonlyMap<number, Observation>> {
  const readings = await readingsOf(deps, call, processes)
  const now = deps.clock.now().getTime()
  return new Map(
    processes.map((process) => {
      const reading = readings.get(process.node.id)?.get(artifactNameOf(process))
      const status = ownStatus(process, now) ?? viewedStatus(deps, process) ?? reading?.status
      return [process.id, { status, cpu: reading?.cpu ?? null, memoryBytes: reading?.memoryBytes ?? null }]
    }),
  )
}

/** What was read at the end of the last action, while lists may still show what was before it. */
function ownStatus({ observed_at, observed_status }: ProcessRecord, now: number): string | undefined {
  if (observed_at === null || observed_status === null) return undefined
  // Far ahead it is by a clock that was set back since.
  return Math.abs(now - Date.parse(observed_at)) < OWN_MILLISECONDS ? observed_status : undefined
}

const viewedStatus = ({ views }: ObserveDeps, { id, name, runtime, node }: ProcessRecord) =>
  views.runtimeStatusOf({ id, name, runtime, nodeId: node.id })

type Readings = ReadonlyMap<string, UnitReading>

async function readingsOf(
  deps: ObserveDeps,
  call: Call,
  processes: readonly ProcessRecord[],
): Promise<ReadonlyMap<number, Readings>> {
  const byNode = Map.groupBy(processes, ({ node }) => node.id)
  const waiting = byNode.values()
  const found = new Map<number, Readings>()
  const work = async (): Promise<void> => {
    for (const onNode of waiting) {
      const [first] = onNode
      const readings = await readNode(deps, call, onNode)
      if (first && readings) found.set(first.node.id, readings)
    }
  }
  await Promise.all(Array.from({ length: Math.min(NODES_AT_ONCE, byNode.size) }, work))
  return found
}

/** What its service manager and its Docker answer, both at the same time; undefined for a Node that is not active. */
async function readNode(
  deps: ObserveDeps,
  call: Call,
  processes: readonly ProcessRecord[],
): Promise<Readings | undefined> {
  const [first] = processes
  if (first?.node.status !== 'active') return undefined
  const session = deps.nodes.sessions.overTunnel(call, first.node)
  const of = (runtime: ProcessRuntime) => processes.filter((process) => process.runtime === runtime)
  const [units, containers] = [of('systemd').map(unitNameOf), of('docker').map(placeOf)]
  const [fromSystemd, fromDocker] = await Promise.all([
    askOrNothing(session, readUnits, units),
    askOrNothing(session, readContainers, containers),
  ])
  // Docker answers, and so a container that it does not name does not exist.
  const missing = fromDocker ? containers.map(({ name }) => [name, GONE] as const) : []
  return new Map([...missing, ...(fromSystemd ?? []), ...(fromDocker ?? [])])
}

const GONE: UnitReading = { status: 'exited', cpu: null, memoryBytes: null }

const placeOf = (process: ProcessRecord) => ({ id: process.id, name: artifactNameOf(process) })

/** Undefined for one that does not answer: a list shows what else is known. */
async function askOrNothing<T>(
  session: NodeSession,
  script: NodeScript<readonly T[], Readings>,
  input: readonly T[],
): Promise<Readings | undefined> {
  if (input.length === 0) return undefined
  try {
    return await session.ask(script, input)
  } catch (error) {
    if (error instanceof CodedError && session.call.deadline.forwardMilliseconds() > 0) return undefined
    throw error
  }
}
