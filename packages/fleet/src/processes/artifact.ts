import { CodedError } from '@fleet/kernel'
import { sha256 } from '#/managed-services/api.ts'
import { artifactParts, type NodeArtifact, type NodeSession } from '#/nodes/api.ts'
import { removeArtifact, wantedDigests } from '#/processes/apply.ts'
import { ready } from '#/processes/connections/values.ts'
import { convergeProcess } from '#/processes/converge.ts'
import { makeJoin } from '#/processes/find.ts'
import { holdingProcess } from '#/processes/locking.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { deleteResidue, residuesOn, rowsOnNode } from '#/processes/queries.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { wakeForsaken } from '#/processes/sleep/mark-started.ts'

/**
 * Units and containers of a Node as its records say: what removals left is removed, files are written and containers
 * created again, and each Process runs or not
 * as desired (NODE-120). One that cannot be repaired does not keep the others from it.
 */
export const makeProcessesArtifact = (deps: ProcessesDeps): NodeArtifact => ({
  name: 'processes',
  digest: async (node) => {
    const texts = (await installedOn(deps, node.id)).map((process) => textOf(deps, process))
    const residues = (await residuesOn(deps.store.db, node.id)).map(({ id }) => `residue ${id}`)
    const all = [...(await Promise.all(texts)), ...residues]
    return all.length === 0 ? undefined : sha256(all.join('\n'))
  },
  converge: async (session) => {
    const { store } = deps
    const parts = artifactParts()
    let woken: Promise<void> | undefined
    for (const { id, process_id, name, runtime } of await residuesOn(store.db, session.node.id))
      await parts.attempt(async () => {
        await removeArtifact(deps, session, { id: process_id, name, runtime })
        // Its removal could not ask the Node whether its Instance lost its dependencies.
        await (woken ??= wakeForsaken(deps, session))
        await deleteResidue(store.db, id)
      })
    for (const process of await installedOn(deps, session.node.id))
      await parts.attempt(() => repair(deps, session, process))
    return parts.skipped() ?? 'applied'
  },
})

/**
 * As it is once the locks are held: whoever uses its Instance, puts it to sleep, moves or removes it decides what runs of it. That one
 * is not waited for, because a converge holds locks that come later.
 */
async function repair(deps: ProcessesDeps, session: NodeSession, seen: ProcessRecord): Promise<void> {
  try {
    await holdingProcess(deps, session.call, { ...seen, waitSeconds: 0 }, async (process) => {
      if (process.status !== 'active') return
      await convergeProcess(deps, session, await ready(deps, process))
    })
  } catch (error) {
    if (!(error instanceof CodedError && GONE.has(error.code))) throw error
  }
}

/** It was removed meanwhile, and needs no repair. */
const GONE: ReadonlySet<string> = new Set(['process.not_found', 'instance.not_found'])

/** What a Process has to be, as one text. */
async function textOf(deps: ProcessesDeps, process: ProcessRecord): Promise<string> {
  try {
    const { artifact, values } = await wantedDigests(deps, await ready(deps, process))
    return [process.id, artifact, ...(values === undefined ? [] : [values])].join(' ')
  } catch (error) {
    // A password that cannot be read keeps the Node from nothing else.
    if (error instanceof CodedError) return `${process.id} ${error.code}`
    throw error
  }
}

/** Active ones alone: what a creation or removal left is finished by its own request. */
export async function installedOn(deps: ProcessesDeps, nodeId: number): Promise<readonly ProcessRecord[]> {
  const join = makeJoin(deps)
  const rows = (await rowsOnNode(deps.store.db, nodeId)).filter(({ status }) => status === 'active')
  const processes = await Promise.all(rows.map(join))
  return processes.filter((process) => process !== undefined)
}
