import { connectionIn, fail, isErrorCode } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { findOwner, type InstanceDefinitions } from '#/instances/api.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { requireRuntime } from '#/processes/create.ts'
import { findDocker } from '#/processes/commands/containers.ts'
import { holdConnections } from '#/processes/connections/hold.ts'
import { findProcess } from '#/processes/find.ts'
import { installProcess } from '#/processes/install.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { findNamed } from '#/processes/queries.ts'
import type { ProcessOwner, ProcessRow } from '#/processes/record.ts'
import { insert } from '#/processes/reserve.ts'
import { type ProcessRequest, requestOrRefuse } from '#/processes/rules.ts'
import type { ProductionProcess } from '#/projects/api.ts'

interface Copy {
  readonly definitionId: string
  readonly request: ProcessRequest
}

/** What a production Instance gets of the Process definitions of its Project: installed and stopped (PRJ-084, PRJ-085). */
export const makeProcessCopies = (deps: ProcessesDeps): InstanceDefinitions => ({
  requireInstallable: async (session, projectId) => {
    const definitions = await deps.projects.productionProcesses(projectId)
    if (definitions.some(({ spec }) => spec.runtime === 'docker')) await session.ask(findDocker, undefined)
    for (const definition of definitions) await requireConnections(deps, projectId, definition)
  },
  copy: async (session, instanceId) => {
    const owner = await findOwner(deps, 'instance', instanceId)
    if (owner?.instance?.environment !== 'production') return
    const copies = (await deps.projects.productionProcesses(owner.instance.project_id)).map((definition) =>
      copyOf(definition, owner),
    )
    // All names before the first row: a refused preparation leaves no copy behind.
    for (const copy of copies) await existing(deps, owner, copy)
    for (const copy of copies) {
      const { id } = await existingOrNew(deps, owner, copy)
      await holding(deps.store, session.call, lockOf('process', id), async () => {
        const process = await findProcess(deps, id)
        if (process && process.status !== 'active') await installProcess(deps, session, process)
      })
    }
  },
})

/** Throws what the copy would, of the definition by its name: a Project has several, and none of them was named in the request. */
async function requireConnections(
  deps: ProcessesDeps,
  projectId: number,
  { name, spec }: ProductionProcess,
): Promise<void> {
  const connections = spec.connections?.map(connectionIn) ?? []
  try {
    await deps.store.transaction((tx) => holdConnections(deps, tx, { connections }))
  } catch (error) {
    if (!(error instanceof CodedError) || !isErrorCode(error.code)) throw error
    throw fail(error.code, {
      message: `The Process definition ${name} of the Project depends on a database connection that its copy cannot have: ${error.message}`,
      details: { ...error.details, definition: name, project_id: projectId },
      cause: error,
    })
  }
}

function copyOf({ id, name, spec }: ProductionProcess, owner: ProcessOwner): Copy {
  const request = requestOrRefuse({ target_type: owner.type, target_id: owner.id, name, ...spec })
  requireRuntime(request, owner)
  return { definitionId: id, request }
}

/** The copy that an earlier attempt stored. Throws `process.name_taken` for a Process that is no copy of this definition. */
async function existing(
  { store }: ProcessesDeps,
  owner: ProcessOwner,
  { definitionId, request: { name } }: Copy,
): Promise<ProcessRow | undefined> {
  const known = await findNamed(store.db, owner.type, owner.id, name)
  if (!known || (known.definition_id === definitionId && known.status !== 'removing')) return known
  throw fail('process.name_taken', { details: { process_id: known.id, status: known.status } })
}

const existingOrNew = async (deps: ProcessesDeps, owner: ProcessOwner, copy: Copy): Promise<ProcessRow> =>
  (await existing(deps, owner, copy)) ??
  (await insert(deps, owner, copy.request, { definitionId: copy.definitionId })) ??
  // Another request stored one of this name in between.
  existingOrNew(deps, owner, copy)
