import type { AdoptionBlock, ToolManagerName } from '@fleet/contract'
import type { NodeSession } from '#/nodes/api.ts'
import type { Refused } from '#/tools/managers/refused.ts'

/** What a Node says of one package, read at once. */
export interface PackageState {
  /** Undefined while it is not installed. */
  readonly installed: string | undefined
  /** Something of it is on the Node, if only half of it. */
  readonly isPresent: boolean
  /** What an installation or update would install; undefined where nothing is offered that Fleet may install. */
  readonly candidate: string | undefined
  /** Why there is no candidate, where the manager has one. */
  readonly refused?: Refused | undefined
  /** Why it cannot be adopted. */
  readonly block?: AdoptionBlock | undefined
  /** The manager was asked to keep the installed version. */
  readonly isPinned?: boolean
  /** False where a removal would run scripts or ask for an administrator. */
  readonly isSafeToRemove?: boolean
}

/** What a removal would do besides, each by its name as apt prints it, in the order of apt. */
export interface RemovalPlan {
  readonly removed: readonly string[]
  /** Installed, or changed to another version. */
  readonly installed: readonly string[]
  /** Packages that require it, so that it cannot be removed. */
  readonly neededBy?: readonly string[]
}

/** One package manager on one Node. The locks of the package and of the manager are held by the caller. */
export interface Manager {
  readonly name: ToolManagerName
  /** Its version. Throws `tool.manager_unavailable` where it is missing, or where its scope is not one that Fleet may use. */
  inspect(session: NodeSession): Promise<string>
  /** Installs it where it is missing, and answers its version; Linux only. The lock of apt is held. Throws `tool.manager_provision_failed`. */
  provision?(session: NodeSession): Promise<string>
  /** `isFresh`: what is on offer must be up to date. Throws `tool.manager_unavailable` and `tool.version_probe_failed`. */
  read(session: NodeSession, name: string, given?: { readonly isFresh?: boolean }): Promise<PackageState>
  /** Safe to repeat. Throws `tool.install_failed`. */
  install(session: NodeSession, name: string): Promise<void>
  /** Safe to repeat. Throws `tool.update_failed`. */
  update(session: NodeSession, name: string): Promise<void>
  /** Safe to repeat. Throws `tool.remove_failed`, and `tool.removal_plan_unsafe` where the plan is no longer what it was. */
  remove(session: NodeSession, name: string): Promise<void>
  /** What would happen to other packages. */
  planRemoval?(session: NodeSession, name: string): Promise<RemovalPlan>
}
