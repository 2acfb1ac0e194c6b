import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import { unresolvedPart } from '#/environment/format/index.ts'
import type { EnvironmentDeps } from '#/environment/deps.ts'
import { deleteValues, knowKeys, putValues, storedValues } from '#/environment/queries.ts'
import { refuseInvalid } from '#/environment/refusals.ts'
import {
  entryProblem,
  mergedValues,
  type Problem,
  readerOf,
  setProblem,
  type Values,
} from '#/environment/rules.ts'
import { openValues, sealValue } from '#/environment/sealed-values.ts'
import { holdingTarget, requireProfile, rereadTarget, type Target } from '#/environment/target.ts'
import type { InstanceRecord, PlacedInstance } from '#/instances/api.ts'

/** Keys of another domain in the configuration of an Instance. */
export interface Replacement {
  /** Written as they are: text that reads like a placeholder is refused. */
  readonly set: Values
  readonly removed: readonly string[]
}

export interface Replaced {
  readonly changed: boolean
  /** All stored keys. */
  readonly keyCount: number
  /** Those whose value is another one now, or that are gone. */
  readonly replacedKeys: readonly string[]
}

type Plan = (db: Database, instance: InstanceRecord) => Promise<Replacement>

export interface Replacing {
  /**
   * Stores and removes values of the Instance that a request found under its operation lock, in one transaction with what `plan`
   * writes itself. Throws `env.operation_busy`, `env.owner_unavailable`, `env.configuration_invalid` and what `plan` throws; then
   * nothing is stored.
   */
  replace(call: Call, seen: PlacedInstance, plan: Plan): Promise<Replaced>
  /** The same for a caller that holds the lock. */
  replaceHeld(call: Call, instanceId: number, plan: Plan): Promise<Replaced>
  /** Throws what that would throw now, and stores nothing. */
  checkHeld(instanceId: number, plan: Plan): Promise<void>
}

export function makeReplace(deps: EnvironmentDeps): Replacing {
  const store = ({ instance }: Target, plan: Plan): Promise<Replaced> =>
    deps.store.transaction(async (db) => apply(deps, db, instance, await plan(db, instance)))
  return {
    replaceHeld: async (_call, instanceId, plan) =>
      store(await rereadTarget(deps.instances, instanceId), plan),
    checkHeld: async (instanceId, plan) => {
      const { instance } = await rereadTarget(deps.instances, instanceId)
      const { db } = deps.store
      await planned(deps, db, instance, await plan(db, instance))
    },
    replace: (call, seen, plan) => holdingTarget(deps.instances, call, seen, (held) => store(held, plan)),
  }
}

/** What comes of it, once it is known to be acceptable. */
async function planned(
  { store: { cipher } }: Pick<EnvironmentDeps, 'store'>,
  db: Database,
  instance: InstanceRecord,
  { set, removed }: Replacement,
) {
  for (const [key, value] of set) refuseInvalid(literalProblem(key, value))
  const stored = openValues(cipher, instance.id, await storedValues(db, instance.id))
  const gone = removed.filter((key) => stored.has(key))
  const kept = new Map([...stored].filter(([key]) => !gone.includes(key)))
  const next = mergedValues(kept, set)
  refuseInvalid(setProblem(next, readerOf(requireProfile(instance))))
  const changed = [...set].filter(([key, value]) => stored.get(key) !== value)
  const replacedKeys = [...changed.map(([key]) => key).filter((key) => stored.has(key)), ...gone]
  return { gone, changed, keyCount: next.size, replacedKeys }
}

async function apply(
  deps: EnvironmentDeps,
  db: Database,
  instance: InstanceRecord,
  replacement: Replacement,
): Promise<Replaced> {
  const { gone, changed, keyCount, replacedKeys } = await planned(deps, db, instance, replacement)
  const { store, clock } = deps
  const sealed = changed.map(([key, value]) => sealValue(store.cipher, instance.id, key, value))
  await putValues(db, instance.id, sealed, clock.now().toISOString())
  await deleteValues(db, instance.id, gone)
  // The next synchronization drops them from the file without asking (ENV-049).
  await knowKeys(db, instance.id, gone)
  return { changed: changed.length > 0 || gone.length > 0, keyCount, replacedKeys }
}

/** What looks like a placeholder may be a part of a password, so it is not shown. */
const literalProblem = (key: string, value: string): Problem | undefined =>
  unresolvedPart(value) === undefined
    ? entryProblem(key, value)
    : { rule: 'placeholder_unknown', key, placeholder: '{{…}}' }
