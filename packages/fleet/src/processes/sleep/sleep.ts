import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import { holding, lockOf } from '#/locks/api.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { actAnew, halt } from '#/processes/apply.ts'
import { ready } from '#/processes/connections/values.ts'
import { findProcess } from '#/processes/find.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { listRows, sleepyRows } from '#/processes/queries.ts'
import { observe } from '#/processes/observe.ts'
import type { ProcessRecord, ProcessRow } from '#/processes/record.ts'
import { isSleepy, shouldRun } from '#/processes/sleep/sleepy.ts'
import { readyPorts } from '#/processes/sleep/ready-ports.ts'

/** What the Processes of one Instance allow. */
export interface InstanceSleep {
  /** One of them may be stopped while nobody visits. */
  readonly maySleep: boolean
  /** One of them would sleep if it ran. */
  readonly couldSleep: boolean
  /** One of them must never stop. */
  readonly isKeptAlive: boolean
}

/** What hibernation does with the Processes of an Instance, under the Instance's operation lock. */
export interface SleepingProcesses {
  /** Ids of Instances by Node whose Processes may be stopped while nobody visits them (HIB-006, HIB-007). */
  sleepy(db: Database): Promise<ReadonlyMap<number, readonly number[]>>
  sleepOf(db: Database, instanceId: number): Promise<InstanceSleep>
  /** Stops those that may sleep; what is desired of them stays (HIB-009). */
  halt(session: NodeSession, instanceId: number): Promise<void>
  /** Starts all that should run (HIB-016): one that is kept alive ended with its Node, and does not start with it (PROC-030). */
  start(session: NodeSession, instanceId: number): Promise<void>
  /** What should run and is not ready yet. */
  unready(session: NodeSession, instanceId: number): Promise<Unready>
}

export interface Unready {
  /** Names of Processes, and `port 5173` of one that does not listen. */
  readonly waiting: readonly string[]
  /** Names of those that ended with an error and that nothing starts again. */
  readonly failed: readonly string[]
}

export const makeSleepingProcesses = (deps: ProcessesDeps): SleepingProcesses => ({
  sleepy: async (db) => {
    const byNode = Map.groupBy(await sleepyRows(db), ({ node_id }) => node_id)
    return new Map(
      [...byNode].map(([nodeId, rows]) => [nodeId, [...new Set(rows.map(({ instance_id }) => instance_id))]]),
    )
  },
  sleepOf: async (db, id) => {
    const rows = await listRows(db, { type: 'instance', id })
    return {
      maySleep: rows.some(isSleepy),
      couldSleep: rows.some(({ keep_alive }) => keep_alive === 0),
      isKeptAlive: rows.some(({ keep_alive }) => keep_alive === 1),
    }
  },
  halt: (session, instanceId) =>
    each(
      deps,
      session.call,
      { instanceId, which: isSleepy },
      async (process) => void (await halt(deps, session, process)),
    ),
  start: (session, instanceId) =>
    each(deps, session.call, { instanceId, which: shouldRun }, async (process) => {
      await actAnew(deps, session, await ready(deps, process), 'start')
    }),
  unready: async (session, instanceId) => {
    const processes = await processesOf(deps, { instanceId, which: shouldRun })
    const seen = await observe({ ...deps, views: NO_VIEWS }, session.call, processes.map(unobserved))
    const statusOf = ({ id }: ProcessRecord): string => seen.get(id)?.status ?? ''
    const waiting = processes.filter((process) => !READY.has(statusOf(process)))
    const failed = waiting.filter((process) => statusOf(process) === 'failed').map(({ name }) => name)
    const serving = processes.flatMap(({ owner, runtime_config: { preset } }) =>
      preset === 'vp-dev' && typeof owner.instance?.vite_port === 'number' ? [owner.instance.vite_port] : [],
    )
    if (waiting.length > 0 || serving.length === 0)
      return { waiting: waiting.map(({ name }) => name), failed }
    const open = await session.ask(readyPorts, serving)
    return { waiting: serving.flatMap((port) => (open.has(port) ? [] : [`port ${port}`])), failed }
  },
})

/** The Node itself is asked: a view of its agent may be older than the start. */
const NO_VIEWS = { runtimeStatusOf: () => undefined }
const unobserved = (process: ProcessRecord): ProcessRecord => ({ ...process, observed_at: null })
const READY: ReadonlySet<string> = new Set(['active', 'running'])

interface Chosen {
  readonly instanceId: number
  readonly which: (process: Pick<ProcessRow, 'status' | 'desired_state' | 'keep_alive'>) => boolean
}

async function processesOf(
  deps: ProcessesDeps,
  { instanceId, which }: Chosen,
): Promise<readonly ProcessRecord[]> {
  const rows = (await listRows(deps.store.db, { type: 'instance', id: instanceId })).filter(which)
  const found = await Promise.all(rows.map(({ id }) => findProcess(deps, id)))
  return found.flatMap((process) => (process?.environment === 'development' ? [process] : []))
}

async function each(
  deps: ProcessesDeps,
  call: Call,
  chosen: Chosen,
  work: (process: ProcessRecord) => Promise<void>,
): Promise<void> {
  for (const { id } of await processesOf(deps, chosen))
    await holding(deps.store, call, lockOf('process', id), async () => {
      const process = await findProcess(deps, id)
      if (process && chosen.which(process)) await work(process)
    })
}
