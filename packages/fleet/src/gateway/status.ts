import type { gatewayStatuses } from '@fleet/contract'
import type { Handler } from '#/handler.ts'

export interface StatusDeps {
  /** Node name of the gateway. */
  readonly name: string
  /** APP_VERSION, else the commit of the release, else `dev` (SET-013). */
  readonly version: string
  readonly runtime: { readonly name: string; readonly version: string }
  /** `draining` while it stops, `degraded` while the store does not answer or takes no write. */
  health(): Promise<(typeof gatewayStatuses)[number]>
}

/** Decisions 18a. The desired fleet state is resolved by the rollout only, so it is null here. */
export const makeStatus =
  ({ name, version, runtime, health }: StatusDeps): Handler<'gateway:status'> =>
  async () => ({ data: { name, status: await health(), version, runtime, desired_fleet_state: null } })
