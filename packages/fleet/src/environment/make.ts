import { makeEnvironmentChecks } from '#/environment/checks.ts'
import { type EnvironmentCopy, makeCopy, makeCopyRenamed } from '#/environment/copy.ts'
import { importFirst, makeImport } from '#/environment/import.ts'
import type { EnvironmentDeps } from '#/environment/deps.ts'
import { makeNamesPath } from '#/environment/names-path.ts'
import { makeReplace, type Replacing } from '#/environment/replace.ts'
import { makeRewritePaths } from '#/environment/rewrite-paths.ts'
import { storedValues } from '#/environment/queries.ts'
import { makeStored } from '#/environment/stored.ts'
import {
  makeSync,
  requireSynchronizable,
  type Synced,
  synchronize,
  synchronizeHeld,
} from '#/environment/sync.ts'
import { makeUpdate } from '#/environment/update.ts'
import type { Call } from '#/call.ts'
import type { HandlersOf } from '#/handler.ts'
import type { SourceProfile } from '#/instances/api.ts'
import type { FamilyChecks } from '#/nodes/api.ts'

export interface Environment extends Replacing {
  readonly handlers: HandlersOf<'env:import' | 'env:update' | 'env:sync'>
  /** Of the `.env` files of production Instances. */
  readonly checks: FamilyChecks
  /** The stored values of an Instance for a clone of it. */
  copy(copy: EnvironmentCopy): Promise<void>
  /** The same for a copy that is to name itself, in the caller's transaction. Throws SealBroken. */
  copyRenamed: ReturnType<typeof makeCopyRenamed>
  /** Values by key, for those who must know what to keep out of sight; they leave the gateway nowhere. Throws SealBroken. */
  stored(instanceId: number): Promise<ReadonlyMap<string, string>>
  /** Writes the `.env` file of an Instance whose operation lock the caller holds (ENV-059). Throws what `env:sync` throws. */
  synchronizeHeld(call: Call, instanceId: number): Promise<Synced>
  /** Throws what `synchronizeHeld` would throw before it writes, were the profile that of the source of the Instance. Default: the stored one. */
  requireSynchronizable(call: Call, instanceId: number, profile?: SourceProfile): Promise<void>
  /** The same under a domain that its own Route is about to get, or gets back, while that is replaced (ENV-065). */
  synchronizeUnder(call: Call, instanceId: number, domain: string): Promise<void>
  /** The same for production: the Instance may have no Route yet, and its file loses the names that only it has (ENV-050, ENV-063). */
  replaceUnder(call: Call, instanceId: number, domain: string): Promise<void>
  /** Stored values that are paths below a directory name the place that it got. Throws `env.configuration_invalid`. */
  rewritePaths: ReturnType<typeof makeRewritePaths>
  /** Whether a stored value of the Instance is this path. */
  namesPath(instanceId: number, path: string): Promise<boolean>
  /** Whether any value is stored for the Instance. */
  isStored(instanceId: number): Promise<boolean>
  /** Stores the values of the file if nothing is stored and there is a file. Takes the operation lock, as `synchronize`. */
  importFirst(call: Call, instanceId: number): Promise<void>
  /** What `env:sync` does. */
  synchronize(call: Call, instanceId: number): Promise<void>
}

/** The stored environment configuration of Instances. */
export const makeEnvironment = (deps: EnvironmentDeps): Environment => ({
  handlers: {
    'env:import': makeImport(deps),
    'env:update': makeUpdate(deps),
    'env:sync': makeSync(deps),
  },
  checks: makeEnvironmentChecks(deps),
  stored: makeStored(deps),
  copy: makeCopy(deps),
  copyRenamed: makeCopyRenamed(deps),
  rewritePaths: makeRewritePaths(deps),
  namesPath: makeNamesPath(deps),
  synchronizeHeld: (call, instanceId) => synchronizeHeld(deps, call, instanceId),
  requireSynchronizable: (...given) => requireSynchronizable(deps, ...given),
  synchronizeUnder: async (call, instanceId, domain) =>
    void (await synchronizeHeld(deps, call, instanceId, { domain })),
  replaceUnder: async (call, instanceId, domain) =>
    void (await synchronizeHeld(deps, call, instanceId, { domain, isRouted: true })),
  isStored: async (instanceId) => (await storedValues(deps.store.db, instanceId)).length > 0,
  importFirst: (call, instanceId) => importFirst(deps, call, instanceId),
  synchronize: async (call, instanceId) => void (await synchronize(deps, call, instanceId)),
  ...makeReplace(deps),
})
