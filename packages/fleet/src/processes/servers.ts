import { fail, type ProcessVolume, type RestartPolicy } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { holding, lockOf } from '#/locks/api.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'
import { actOnContainer, noteStatus, wantedContainer } from '#/processes/apply.ts'
import { findDocker } from '#/processes/commands/containers.ts'
import { ready } from '#/processes/connections/values.ts'
import type { OnceVariables } from '#/processes/containers/container.ts'
import { nameOfVariable } from '#/processes/containers/variables.ts'
import { findProcess, recordOf } from '#/processes/find.ts'
import { holdingProcess, requireActive } from '#/processes/locking.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { presentProcess } from '#/processes/present.ts'
import { updateRow } from '#/processes/queries.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { storedOrNew } from '#/processes/reserve.ts'
import { removeProcess } from '#/processes/steps/removal.ts'
import { artifactNameOf } from '#/processes/unit.ts'

/** A container that another domain runs as a Process of a Node. */
export interface ServerRequest {
  readonly node: NodeRecord
  readonly name: string
  readonly image: string
  readonly command: readonly string[]
  /** `NAME=VALUE`; nothing secret, since they stay in the container's definition. */
  readonly environment?: readonly string[]
  /** `[IPv4:]host:container[/tcp or /udp]`. */
  readonly ports?: readonly string[]
  readonly volumes?: readonly ProcessVolume[]
  /** `unless-stopped` when absent: it comes back with its Node. */
  readonly restartPolicy?: RestartPolicy
  readonly workingDirectory?: string
}

/** Containers that other domains run, such as database servers. Each is a Process of its Node that callers see and start. */
export interface ServerContainers {
  /** Throws `node.capability_missing` where the Node has no Docker. */
  requireDocker(session: NodeSession): Promise<void>
  /**
   * Stores the Process as `creating`, or returns the stored one of the same request; nothing happens on the Node. Throws
   * `process.name_taken`, `process.target_inactive` and `process.platform_unsupported`.
   */
  reserve(call: Call, request: ServerRequest): Promise<ProcessRecord>
  /**
   * The container exists and runs; answers its status. `once` are variables of this container alone: the next `run` without
   * them creates it anew, after which they are nowhere on the Node. The Process is `active` after a run without them. Throws
   * the codes of `process:start` and `process.not_found`.
   */
  run(session: NodeSession, processId: number, once?: OnceVariables): Promise<string>
  /** Removes container and record; named volumes are kept. Without a session the container becomes a residue of its Node. */
  remove(call: Call, processId: number, session: NodeSession | undefined): Promise<void>
  /** Name of the container, for `docker exec`. */
  nameOf(process: Pick<ProcessRecord, 'id' | 'name' | 'runtime'>): string
}

export const makeServerContainers = (deps: ProcessesDeps): ServerContainers => ({
  requireDocker: (session) => session.ask(findDocker, undefined),
  reserve: async (call, request) => {
    const owner = { type: 'node', id: request.node.id, node: request.node, instance: undefined } as const
    requireActive(owner)
    call.note.target(owner.id)
    const { row } = await storedOrNew(deps, owner, requestOf(request))
    return recordOf(row, owner)
  },
  run: (session, id, once) =>
    holding(deps.store, session.call, lockOf('process', id), () => run(deps, session, id, once)),
  remove: async (call, id, session) => {
    const seen = await findProcess(deps, id)
    if (!seen) return
    await holdingProcess(deps, call, seen, async (process) => {
      await removeProcess({ deps, call, process, session })
      await call.publish('process.deleted', { id, name: process.name })
    })
  },
  nameOf: artifactNameOf,
})

function requestOf({
  name,
  image,
  command,
  environment = [],
  ports = [],
  volumes = [],
  restartPolicy = 'unless-stopped',
  workingDirectory,
}: ServerRequest) {
  const variables = environment.toSorted()
  return {
    name,
    runtime: 'docker',
    runtime_config: {
      command,
      preset: null,
      container: { image, ports, volumes, variables: variables.map(nameOfVariable) },
    },
    variables,
    working_directory: workingDirectory ?? null,
    account: null,
    restart_policy: restartPolicy,
    keep_alive: 0,
    start: true,
  } as const
}

async function run(
  deps: ProcessesDeps,
  session: NodeSession,
  id: number,
  once: OnceVariables | undefined,
): Promise<string> {
  const process = await findProcess(deps, id)
  const container = process && wantedContainer(deps, await ready(deps, process), once)
  if (!process || !container || process.status === 'removing') throw fail('process.not_found')
  const status = await actOnContainer(session, container, 'start')
  await noteStatus(deps, process, status)
  if (once === undefined && process.status !== 'active') {
    const done = { status: 'active', desired_state: 'running', failed_step: null, error_code: null } as const
    await updateRow(deps.store.db, id, done)
    const observed = { status, cpu: null, memoryBytes: null }
    await session.call.publish('process.created', presentProcess({ ...process, ...done }, observed))
  }
  return status
}
