import type { ErrorCode } from '@fleet/contract'
import type { ProfileRecord, Row } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import type { ProjectRecord } from '#/projects/api.ts'

export type Framework = NonNullable<ProfileRecord['framework']>

/** What the source was found to be (PRJ-022 to PRJ-024). */
export interface SourceProfile {
  /** Repository-relative application directory: the effective web root minus a trailing `/public`; empty for the repository root. */
  readonly applicationDirectory: string
  readonly framework: Framework | null
  /** True when `composer.json` exists there. */
  readonly php: boolean
}

/** A stored Instance with what it belongs to. */
export interface InstanceRecord extends Omit<Row<'instances'>, 'profile'> {
  readonly profile: SourceProfile | undefined
  readonly project: ProjectRecord
  readonly node: NodeRecord
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
}
