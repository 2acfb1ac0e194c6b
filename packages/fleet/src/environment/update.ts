import type { Handler } from '#/handler.ts'
import type { EnvironmentDeps } from '#/environment/deps.ts'
import { putValues, storedValues } from '#/environment/queries.ts'
import { refuseInvalid } from '#/environment/refusals.ts'
import { appUrlProblem, entryProblem, mergedValues, readerOf, setProblem } from '#/environment/rules.ts'
import { openValues, sealValue } from '#/environment/sealed-values.ts'
import { findTarget, holdingTarget, sourceOf, type Target } from '#/environment/target.ts'

/** Stores one value. Does not contact the Node (ENV-017). */
export const makeUpdate =
  (deps: EnvironmentDeps): Handler<'env:update'> =>
  async (request) => {
    const { call } = request
    const { key, value } = request.input
    refuseInvalid(entryProblem(key, value))
    const { instance } = await findTarget(deps.instances, request)
    const stored = await holdingTarget(deps.instances, call, instance, (target) =>
      storeValue(deps, target, key, value),
    )
    call.note.property('changed', stored.changed)
    return { data: { instance_id: instance.id, operation: 'update' as const, ...stored } }
  }

interface Stored {
  readonly changed: boolean
  readonly key_count: number
}

function storeValue(
  { store, clock }: EnvironmentDeps,
  { instance }: Target,
  key: string,
  value: string,
): Promise<Stored> {
  const source = sourceOf(instance)
  refuseInvalid(appUrlProblem(source, key, value))
  return store.transaction(async (db) => {
    const stored = openValues(store.cipher, instance.id, await storedValues(db, instance.id))
    if (stored.get(key) === value) return { changed: false, key_count: stored.size }
    const next = mergedValues(stored, new Map([[key, value]]))
    refuseInvalid(setProblem(next, readerOf(source.profile)))
    await putValues(
      db,
      instance.id,
      [sealValue(store.cipher, instance.id, key, value)],
      clock.now().toISOString(),
    )
    return { changed: true, key_count: next.size }
  })
}
