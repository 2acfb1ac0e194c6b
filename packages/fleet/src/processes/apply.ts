import { ensureService, removeService, sha256 } from '#/managed-services/api.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { actOnUnit, type ProcessAction } from '#/processes/commands/act.ts'
import { installContainer, removeContainer, stopContainer } from '#/processes/commands/containers.ts'
import { type Container, containerOf, type OnceVariables } from '#/processes/containers/container.ts'
import { openVariables } from '#/processes/containers/variables.ts'
import type { ProcessesParts } from '#/processes/parts.ts'
import { updateRow } from '#/processes/queries.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { startsAtBoot } from '#/processes/rules.ts'
import { processService, unitOf } from '#/processes/service.ts'
import { artifactNameOf, renderUnit, unitNameOf } from '#/processes/unit.ts'

export type ApplyParts = Pick<ProcessesParts, 'store' | 'clock' | 'executables' | 'root' | 'domains'>

/** The domain of the Instance's own Route, which its unit names. */
export const domainOf = async (
  { domains, store }: Pick<ProcessesParts, 'domains' | 'store'>,
  { owner }: ProcessRecord,
): Promise<string | undefined> =>
  owner.type === 'instance' ? (await domains.ownRoute(owner.id, store.db))?.domain : undefined

/** The container of a Process with the runtime `docker`; undefined for a unit. */
export function wantedContainer(
  { store }: Pick<ProcessesParts, 'store'>,
  process: ProcessRecord,
  once?: OnceVariables,
): Container | undefined {
  const { container } = process.runtime_config
  return container && containerOf(process, container, openVariables(store.cipher, process), once)
}

/** What the unit or container of a Process has to be, as one text: the digest of the file, or that in the label. */
export async function wantedDigest(
  parts: Pick<ProcessesParts, 'store' | 'domains'>,
  process: ProcessRecord,
): Promise<string> {
  const container = wantedContainer(parts, process)
  return container?.digest ?? sha256(renderUnit(process, await domainOf(parts, process)))
}

/**
 * The unit file or the container as the records say; `applied` when it was another one. Throws `process.unit_conflict`,
 * `process.container_conflict`, `process.image_unavailable` and `process.runtime_failed`.
 */
export async function ensureArtifact(
  parts: ApplyParts,
  session: NodeSession,
  process: ProcessRecord,
): Promise<'applied' | 'unchanged'> {
  const container = wantedContainer(parts, process)
  if (container) {
    const { created } = await session.ask(installContainer, { container, wanted: 'created' })
    return created ? 'applied' : 'unchanged'
  }
  const service = processService(process, await domainOf(parts, process))
  return (await ensureService(parts, session, service, { start: false })).outcome
}

/** Starts, stops or restarts the unit or container, and stores the status that was read afterwards (PROC-013, PROC-037). */
export async function act(
  parts: ApplyParts,
  session: NodeSession,
  process: ProcessRecord,
  action: ProcessAction,
): Promise<string> {
  const container = wantedContainer(parts, process)
  const status = container
    ? await actOnContainer(session, container, action)
    : await session.ask(actOnUnit, {
        root: parts.root ?? '',
        id: process.id,
        unit: unitNameOf(process),
        action,
        startsAtBoot: startsAtBoot(process),
      })
  await noteStatus(parts, process, status)
  return status
}

export async function actOnContainer(
  session: NodeSession,
  container: Container,
  action: ProcessAction,
): Promise<string> {
  if (action === 'stop') return session.ask(stopContainer, container)
  const wanted = action === 'start' ? 'running' : 'restarted'
  return (await session.ask(installContainer, { container, wanted })).status
}

export async function noteStatus(
  { store, clock }: Pick<ProcessesParts, 'store' | 'clock'>,
  { id }: Pick<ProcessRecord, 'id'>,
  observed_status: string,
): Promise<void> {
  await updateRow(store.db, id, { observed_status, observed_at: clock.now().toISOString() })
}

/** Removes the unit or container, of which the id, the name and the runtime are enough. */
export async function removeArtifact(
  parts: ApplyParts,
  session: NodeSession,
  process: Pick<ProcessRecord, 'id' | 'name' | 'runtime'>,
): Promise<void> {
  if (process.runtime === 'systemd') await removeService(parts, session, unitOf(process))
  else await session.ask(removeContainer, { id: process.id, name: artifactNameOf(process) })
}
