import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { ensureService, removeService, sha256 } from '#/managed-services/api.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { type ActionRequest, actOnUnit, DIFFERS, type ProcessAction } from '#/processes/commands/act.ts'
import {
  type ContainerRequest,
  installContainer,
  removeContainer,
  stopContainer,
} from '#/processes/commands/containers.ts'
import { type Container, containerOf, type OnceVariables } from '#/processes/containers/container.ts'
import { hasValues, valuesFile } from '#/processes/connections/file.ts'
import { isBehind, type ReadyProcess, sealValues } from '#/processes/connections/values.ts'
import { openVariables } from '#/processes/containers/variables.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { updateRow } from '#/processes/queries.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { startsAtBoot } from '#/processes/rules.ts'
import { placesOf, processService } from '#/processes/service.ts'
import { artifactNameOf, renderUnit, unitNameOf } from '#/processes/unit.ts'

export type ApplyDeps = Pick<ProcessesDeps, 'store' | 'clock' | 'executables' | 'root' | 'domains'>

/** The domain of the Instance's own Route, which its unit names. */
export const domainOf = async (
  { domains, store }: Pick<ProcessesDeps, 'domains' | 'store'>,
  { owner }: ProcessRecord,
): Promise<string | undefined> =>
  owner.type === 'instance' ? (await domains.ownRoute(owner.id, store.db))?.domain : undefined

/** The container of a Process with the runtime `docker`; undefined for a unit. */
export function wantedContainer(
  { store }: Pick<ProcessesDeps, 'store'>,
  process: ReadyProcess,
  once?: OnceVariables,
): Container | undefined {
  const { container } = process.runtime_config
  const variables = () => [...openVariables(store.cipher, process), ...process.values.set]
  return container && containerOf(process, container, variables(), once)
}

/** What the unit or container of a Process has to be: the digest of its file, or that in the label, and of its file of values. */
export interface WantedDigests {
  readonly artifact: string
  /** Undefined without such a file. */
  readonly values: string | undefined
}

export async function wantedDigests(
  deps: Pick<ProcessesDeps, 'store' | 'domains'>,
  process: ReadyProcess,
): Promise<WantedDigests> {
  const container = wantedContainer(deps, process)
  if (container) return { artifact: container.digest, values: undefined }
  const artifact = sha256(renderUnit(process, await domainOf(deps, process)))
  return { artifact, values: hasValues(process) ? sha256(valuesFile(process)) : undefined }
}

/**
 * The unit file or the container as the records say; `applied` when it was another one. Throws `process.unit_conflict`,
 * `process.container_conflict`, `process.image_unavailable` and `process.runtime_failed`.
 */
export async function ensureArtifact(
  deps: ApplyDeps,
  session: NodeSession,
  process: ReadyProcess,
): Promise<'applied' | 'unchanged'> {
  const container = wantedContainer(deps, process)
  if (container) {
    const { created } = await install(session, { container, wanted: 'created' })
    return created ? 'applied' : 'unchanged'
  }
  const service = processService(process, await domainOf(deps, process))
  return (await ensureService(deps, session, service, { start: false })).outcome
}

/**
 * Starts, stops or restarts the unit or container, and stores the status that was read afterwards (PROC-013, PROC-037). The
 * artifact is as the records say: a unit that runs with earlier values of a connection is restarted by its start, as a container is
 * that has to be created anew.
 */
export async function act(
  deps: ApplyDeps,
  session: NodeSession,
  process: ReadyProcess,
  action: 'start' | 'restart',
): Promise<string> {
  const container = wantedContainer(deps, process)
  const status = container
    ? await actOnContainer(session, container, action)
    : await session.ask(actOnUnit, requestOf(deps, process, isBehind(deps, process) ? 'restart' : action))
  await noteStatus(deps, process, status)
  // What failed at its start did not run with them.
  if (status !== FAILED) await noteValues(deps, process)
  return status
}

/** The same for one whose artifact may not be as the records say. */
export async function actAnew(
  deps: ApplyDeps,
  session: NodeSession,
  wanted: ReadyProcess,
  action: 'start' | 'restart',
): Promise<string> {
  // A container is created anew by its start, in the same round trip.
  if (wanted.runtime === 'systemd') await ensureArtifact(deps, session, wanted)
  return act(deps, session, wanted, action)
}

/**
 * The same for a unit whose file is on the Node as the records say, in one round trip. Undefined, and nothing is done, for every other
 * one, which has to be installed first.
 */
export async function actAsInstalled(
  deps: ApplyDeps,
  session: NodeSession,
  process: ReadyProcess,
  action: 'start' | 'restart',
): Promise<string | undefined> {
  if (process.runtime !== 'systemd' || hasValues(process)) return undefined
  const { artifact: digest } = await wantedDigests(deps, process)
  const status = await session.ask(actOnUnit, { ...requestOf(deps, process, action), digest })
  if (status === DIFFERS) return undefined
  await noteStatus(deps, process, status)
  return status
}

/** Stops it, for which nothing has to be known of its connections. */
export async function halt(deps: ApplyDeps, session: NodeSession, process: ProcessRecord): Promise<string> {
  const place = { id: process.id, name: artifactNameOf(process) }
  const status = await (process.runtime === 'docker'
    ? session.ask(stopContainer, place)
    : session.ask(actOnUnit, requestOf(deps, process, 'stop')))
  await noteStatus(deps, process, status)
  return status
}

/** A word of systemd's for a unit that ended with an error. */
export const FAILED = 'failed'

const requestOf = (
  { root = '' }: ApplyDeps,
  process: ProcessRecord,
  action: ProcessAction,
): ActionRequest => ({
  root,
  id: process.id,
  unit: unitNameOf(process),
  action,
  startsAtBoot: startsAtBoot(process),
})

export async function actOnContainer(
  session: NodeSession,
  container: Container,
  action: 'start' | 'restart',
): Promise<string> {
  const wanted = action === 'start' ? 'running' : 'restarted'
  return (await install(session, { container, wanted })).status
}

/** Throws `process.image_unavailable` with the image that Docker lacks. */
async function install(session: NodeSession, request: ContainerRequest) {
  try {
    return await session.ask(installContainer, request)
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'process.image_unavailable') throw error
    const { image } = request.container
    throw fail('process.image_unavailable', {
      message: `The image ${image} is not on the Node ${session.node.name}, and Docker could not pull it. Check its name, or load it there (\`docker load\`).`,
      details: { ...error.details, image },
      cause: error,
    })
  }
}

export async function noteStatus(
  { store, clock }: Pick<ProcessesDeps, 'store' | 'clock'>,
  { id }: Pick<ProcessRecord, 'id'>,
  observed_status: string,
): Promise<void> {
  await updateRow(store.db, id, { observed_status, observed_at: clock.now().toISOString() })
}

/** It starts with these values from now on, or runs with them. */
export async function noteValues(
  { store }: Pick<ProcessesDeps, 'store'>,
  process: ReadyProcess,
): Promise<void> {
  if (!isBehind({ store }, process)) return
  const connection_values = sealValues(store.cipher, process.id, process.values)
  await updateRow(store.db, process.id, { connection_values })
}

/** Removes the unit or container, of which the id, the name and the runtime are enough. Data of one that `moves` stays where it is. */
export async function removeArtifact(
  deps: ApplyDeps,
  session: NodeSession,
  process: Pick<ProcessRecord, 'id' | 'name' | 'runtime'>,
  { moves = false }: { readonly moves?: boolean } = {},
): Promise<void> {
  const { id, runtime } = process
  if (runtime === 'systemd') await removeService(deps, session, placesOf(process))
  else await session.ask(removeContainer, { id, name: artifactNameOf(process), keepsVolumes: moves })
}
