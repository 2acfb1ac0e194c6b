import type { ErrorCode } from '@fleet/contract'
import type { ProfileRecord, Row } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import type { ProjectRecord } from '#/projects/api.ts'
import type { PlacedInstance } from '#/instances/locks.ts'
import type { StepEnd } from '#/instances/steps/run-commands.ts'

export type Framework = NonNullable<ProfileRecord['framework']>

/** What the source was found to be (PRJ-022 to PRJ-024). */
export interface SourceProfile {
  /** Repository-relative application directory: the effective web root minus a trailing `/public`; empty for the repository root. */
  readonly applicationDirectory: string
  readonly framework: Framework | null
  /** True when `composer.json` exists there. */
  readonly php: boolean
  /** Of a production Instance with PHP: `8.2`, chosen when it was cloned. */
  readonly phpVersion?: string
}

/** A stored Instance with what it belongs to. */
export interface InstanceRecord extends Omit<Row<'instances'>, 'profile'> {
  readonly profile: SourceProfile | undefined
  readonly project: ProjectRecord
  readonly node: NodeRecord
}

/** A command of another domain that runs in a checkout. */
export interface InstanceCommand {
  /** For the progress of the request. */
  readonly name: string
  /** Text for `bash -eu` at the root of the checkout; never shown. */
  readonly command: string
  readonly limitSeconds: number
}

/** The Instance of a request as it was found, and the code for one that is used or moved. */
export interface HeldPlace {
  readonly seen: PlacedInstance
  readonly busy: ErrorCode
  /** That of the table when absent; 0 for who holds a lock that comes later. */
  readonly waitSeconds?: number | undefined
}

/** What other domains may ask about Instances. */
export interface Instances {
  find(id: number): Promise<InstanceRecord | undefined>
  /** Throws `instance.lifecycle_busy` with the holder while the Instance is created, set up or removed (PROC-044). */
  requireIdle(instance: InstanceRecord): Promise<void>
  /**
   * Runs the work under the Instance's operation lock, shared by environment changes, deployments, removal and Route changes (ENV-061).
   * Waits up to 30 s or the rest of the call's forward time, then throws `busy` with `details.holder`.
   */
  withOperationLock<T>(call: Call, instanceId: number, busy: ErrorCode, work: () => Promise<T>): Promise<T>
  /**
   * The same for a request on an Instance, with the record as it is then. Throws `instance.not_found`, and `busy` also when the
   * Instance is on another Node than the request found it on (decision 0326).
   */
  holding<T>(call: Call, held: HeldPlace, work: (instance: InstanceRecord) => Promise<T>): Promise<T>
  /** Runs a command in the checkout of an active development Instance, under its lock; answers how it ended. */
  runCommand(call: Call, instance: InstanceRecord, command: InstanceCommand): Promise<StepEnd | 'succeeded'>
  /**
   * Removes an Instance as `instance:destroy` does, and takes its locks; the identical call resumes. Does nothing for one that is
   * gone. Throws what a removal throws.
   */
  remove(call: Call, instanceId: number): Promise<void>
}
