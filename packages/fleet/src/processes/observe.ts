import { CodedError } from '@fleet/kernel'
import type { Call } from '#/call.ts'
import { readUnits, type UnitReading } from '#/processes/commands/read-units.ts'
import type { ProcessesParts } from '#/processes/parts.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { unitNameOf } from '#/processes/unit.ts'

/** What is seen of a Process at this moment. */
export interface Observation {
  /** Undefined when no source answers. */
  readonly status: string | undefined
  readonly cpu: number | null
  readonly memoryBytes: number | null
}

type ObserveParts = Pick<ProcessesParts, 'nodes' | 'views' | 'clock'>

/** PROC-037 */
const OWN_MILLISECONDS = 30_000
/** Nodes that are asked at the same time. */
const NODES_AT_ONCE = 16

/**
 * Status and usage of each Process by its id. The status is that read after an own action for 30 s, then that of a fresh
 * view of the agent, then that of the Node over SSH; the usage is read over SSH (PROC-037, PROC-038).
 */
export async function observe(
  parts: ObserveParts,
  call: Call,
  processes: readonly ProcessRecord[],
): Promise<ReadonlyMap<number, Observation>> {
  const readings = await readingsOf(parts, call, processes)
  const now = parts.clock.now().getTime()
  return new Map(
    processes.map((process) => {
      const reading = readings.get(process.node.id)?.get(unitNameOf(process))
      const status = ownStatus(process, now) ?? viewedStatus(parts, process) ?? reading?.status
      return [process.id, { status, cpu: reading?.cpu ?? null, memoryBytes: reading?.memoryBytes ?? null }]
    }),
  )
}

/** What was read at the end of the last action, while lists may still show what was before it. */
function ownStatus({ observed_at, observed_status }: ProcessRecord, now: number): string | undefined {
  if (observed_at === null || observed_status === null) return undefined
  return now - Date.parse(observed_at) < OWN_MILLISECONDS ? observed_status : undefined
}

const viewedStatus = ({ views }: ObserveParts, { id, name, runtime, node }: ProcessRecord) =>
  views.runtimeStatusOf({ id, name, runtime, nodeId: node.id })

type Readings = ReadonlyMap<string, UnitReading>

async function readingsOf(
  parts: ObserveParts,
  call: Call,
  processes: readonly ProcessRecord[],
): Promise<ReadonlyMap<number, Readings>> {
  const byNode = Map.groupBy(processes, ({ node }) => node.id)
  const waiting = byNode.values()
  const found = new Map<number, Readings>()
  const work = async (): Promise<void> => {
    for (const onNode of waiting) {
      const [first] = onNode
      const readings = await readNode(parts, call, onNode)
      if (first && readings) found.set(first.node.id, readings)
    }
  }
  await Promise.all(Array.from({ length: Math.min(NODES_AT_ONCE, byNode.size) }, work))
  return found
}

/** Undefined for a Node that does not answer: a list shows what else is known. */
async function readNode(
  { nodes }: ObserveParts,
  call: Call,
  processes: readonly ProcessRecord[],
): Promise<Readings | undefined> {
  const [first] = processes
  if (first?.node.status !== 'active') return undefined
  try {
    return await nodes.sessions.overTunnel(call, first.node).ask(readUnits, processes.map(unitNameOf))
  } catch (error) {
    if (error instanceof CodedError && call.deadline.forwardMilliseconds() > 0) return undefined
    throw error
  }
}
