import type { Database } from '@fleet/store'
import type { InstanceRecord } from '#/instances/api.ts'

/** What Processes need from the Routes of Instances, which are above them. */
export interface InstanceDomains {
  /** The domain at which the Instance is served; undefined for one without a Route. */
  ownRoute(instanceId: number, db: Database): Promise<{ readonly domain: string } | undefined>
}

/** What Processes need from deployments, which are above them. */
export interface SelectedReleases {
  /** Whether a production Instance has a release that it can run (PROC-032). */
  isSelected(instance: InstanceRecord): Promise<boolean>
}
