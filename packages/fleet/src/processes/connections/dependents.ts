import { fail, type ProcessData } from '@fleet/contract'
import { CodedError, type Details } from '@fleet/kernel'
import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import { nodeDetail } from '#/nodes/api.ts'
import { performPart } from '#/perform-steps.ts'
import { FAILED } from '#/processes/apply.ts'
import { isBehind, ready } from '#/processes/connections/values.ts'
import { convergeProcess } from '#/processes/converge.ts'
import { findProcess } from '#/processes/find.ts'
import { holdingProcess, requireActive } from '#/processes/locking.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { presentProcess } from '#/processes/present.ts'
import { rowsDependingOn, updateRow } from '#/processes/queries.ts'
import type { ProcessRecord } from '#/processes/record.ts'

/** Processes that depend on a database connection, by its slug. */
export interface Dependent {
  readonly id: number
  readonly name: string
  /** Null for a Process of a Node. */
  readonly instance_id: number | null
}

export interface ConnectionDependents {
  /** By id. */
  of(db: Database, slug: string): Promise<readonly Dependent[]>
  /**
   * Each of them gets the values as they are stored, in its place: what runs is restarted, what is stopped or sleeps stays so (DB-096).
   * Those that have them already are left alone; a `change` also waits for whoever is about to start one with earlier values. Throws
   * `database.processes_behind` once all have been tried (DB-097, DB-098).
   */
  follow(call: Call, connection: FollowedConnection): Promise<void>
  /** The connection is removed with the Instance that owns it: nobody depends on it any more. */
  forget(db: Database, slug: string): Promise<void>
}

export interface FollowedConnection {
  readonly id: number
  readonly slug: string
  readonly isChanged: boolean
}

interface Failure {
  readonly process: ProcessRecord
  readonly error: CodedError
}

export const makeConnectionDependents = (deps: ProcessesDeps): ConnectionDependents => ({
  of: rowsDependingOn,
  follow: async (call, connection) => {
    const failures: Failure[] = []
    for (const { id } of await rowsDependingOn(deps.store.db, connection.slug)) {
      const process = await findProcess(deps, id)
      const error = process && (await attempt(deps, call, process, connection))
      if (process && error) failures.push({ process, error })
    }
    if (failures.length > 0) throw behind(connection, failures)
  },
  forget: async (db, slug) => {
    for (const { id, runtime_config } of await rowsDependingOn(db, slug)) {
      const { connections = [], ...rest } = runtime_config
      const left = connections.filter((use) => use.slug !== slug)
      await updateRow(db, id, { runtime_config: { ...rest, ...(left.length > 0 && { connections: left }) } })
    }
  },
})

async function attempt(
  deps: ProcessesDeps,
  call: Call,
  process: ProcessRecord,
  { isChanged }: FollowedConnection,
): Promise<CodedError | undefined> {
  try {
    if (!isChanged && !(await isWaiting(deps, process))) return undefined
    await performPart(call, { step: 'process', part: process.name }, () => follow(deps, call, process))
    return undefined
  } catch (error) {
    if (error instanceof CodedError) return error
    throw error
  }
}

/** What is not installed gets them with its installation, by the request that finishes it. */
const isWaiting = async (deps: ProcessesDeps, process: ProcessRecord): Promise<boolean> =>
  process.status === 'active' && isBehind(deps, await ready(deps, process))

const follow = (deps: ProcessesDeps, call: Call, seen: ProcessRecord): Promise<void> =>
  holdingProcess(deps, call, seen, async (process) => {
    if (!(await isWaiting(deps, process))) return
    requireActive(process.owner)
    const session = deps.nodes.sessions.overTunnel(call, process.node)
    const status = await convergeProcess(deps, session, await ready(deps, process))
    if (status === FAILED) throw endedAtOnce(process)
    if (status !== undefined && process.desired_state === 'running')
      await call.publish('process.status', restarted(process, status))
  })

const restarted = (process: ProcessRecord, status: string): ProcessData =>
  presentProcess(process, { status, cpu: null, memoryBytes: null })

const endedAtOnce = ({ id }: ProcessRecord): CodedError =>
  fail('process.runtime_failed', {
    message: `The Process was restarted with the new values and ended with an error. Read why: \`fleet process:logs ${id}\`.`,
  })

const SHOWN = 20

function behind({ id, slug }: FollowedConnection, failures: readonly Failure[]): CodedError {
  const [first] = failures
  const others = failures.length - 1
  const processes = failures.slice(0, SHOWN).map(({ process, error }): Details => ({
    process_id: process.id,
    name: process.name,
    ...nodeDetail(process.node),
    error_code: error.code,
    reason: error.message,
  }))
  return fail('database.processes_behind', {
    ...(first && { message: messageOf(slug, first, others) }),
    details: { database_connection: { id, slug }, processes, count: failures.length },
    cause: first?.error,
  })
}

const messageOf = (slug: string, { process, error }: Failure, others: number): string =>
  [
    `The connection ${slug} is stored, but the Process ${process.name} (${process.id}) of the Node ${process.node.name} does not have its values yet: ${error.message}`,
    ...(others > 0 ? [`It is the same with ${others} more (\`details.processes\`).`] : []),
    `Once that is repaired, run \`fleet database:update ${slug}\`: it repairs what is left.`,
  ].join(' ')
