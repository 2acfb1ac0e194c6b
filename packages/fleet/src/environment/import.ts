import { CodedError } from '@fleet/kernel'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { parseFile } from '#/environment/format/index.ts'
import type { EnvironmentDeps } from '#/environment/deps.ts'
import { putValues, storedValues } from '#/environment/queries.ts'
import { ofFile, readingFile, refuseInvalid, refuseNames } from '#/environment/refusals.ts'
import { envFileOf } from '#/environment/env-file.ts'
import {
  changedValues,
  conflictingKeys,
  entryProblem,
  importedValues,
  mergedValues,
  readerOf,
  setProblem,
  type Values,
} from '#/environment/rules.ts'
import { openValues, sealValue } from '#/environment/sealed-values.ts'
import {
  findTarget,
  holdingTarget,
  requireActiveNode,
  requireProfile,
  sourceOf,
  rereadTarget,
  type Target,
} from '#/environment/target.ts'

/** Reads the Instance's `.env` into storage: all of it or nothing (ENV-029). One round trip. */
export const makeImport =
  (deps: EnvironmentDeps): Handler<'env:import'> =>
  async (request) => {
    const { call } = request
    const { replace = false } = request.input
    const target = await findTarget(deps.instances, request)
    requireActiveNode(target)
    const { id } = target.instance
    const stored = await holdingTarget(deps.instances, call, target.instance, (held) =>
      importFile(deps, call, held, replace),
    )
    call.note.property('changed', stored.changed)
    call.note.property('imported', stored.imported)
    return {
      data: {
        instance_id: id,
        operation: 'import' as const,
        changed: stored.changed,
        key_count: stored.key_count,
      },
    }
  }

/**
 * Imports the file of an Instance that has no stored configuration; does nothing without a file (INS-067). Throws what
 * `env:import` throws otherwise.
 */
export const importFirst = (deps: EnvironmentDeps, call: Call, id: number): Promise<void> =>
  deps.instances.withOperationLock(call, id, 'env.operation_busy', async () => {
    if ((await storedValues(deps.store.db, id)).length > 0) return
    try {
      await importFile(deps, call, await rereadTarget(deps.instances, id), false)
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'env.import_source_missing')) throw error
    }
  })

interface Imported {
  readonly changed: boolean
  readonly key_count: number
  readonly imported: number
}

async function importFile(
  deps: EnvironmentDeps,
  call: Call,
  target: Target,
  replace: boolean,
): Promise<Imported> {
  requireActiveNode(target)
  requireProfile(target.instance)
  const content = await envFileOf(deps, call, target).read()
  const file = ofFile(target, () => {
    const read = readingFile(() => parseFile(content))
    for (const [key, value] of read) refuseInvalid(entryProblem(key, value))
    return read
  })
  return storeFile(deps, target, file, replace)
}

function storeFile(
  { store, clock, ids }: EnvironmentDeps,
  { instance }: Target,
  file: Values,
  replace: boolean,
): Promise<Imported> {
  const source = sourceOf(instance)
  return store.transaction(async (db) => {
    const stored = openValues(store.cipher, instance.id, await storedValues(db, instance.id))
    if (!replace) refuseNames('env.import_conflict', conflictingKeys(file, stored))
    const next = mergedValues(stored, importedValues(file, stored, source, ids))
    refuseInvalid(setProblem(next, readerOf(source.profile)))
    const changed = changedValues(stored, next)
    const sealed = [...changed].map(([key, value]) => sealValue(store.cipher, instance.id, key, value))
    await putValues(db, instance.id, sealed, clock.now().toISOString())
    return { changed: changed.size > 0, key_count: next.size, imported: file.size }
  })
}
