import type { DeploymentsDeps } from '#/deployments/deps.ts'
import { type DeploymentRow, findDeployment } from '#/deployments/queries.ts'
import type { LocatorsOf } from '#/handler.ts'
import type { InstanceRecord } from '#/instances/api.ts'
import { byPathId } from '#/path-id.ts'

/** A deployment with its Instance. */
export interface LocatedDeployment {
  readonly row: DeploymentRow
  readonly instance: InstanceRecord
}

declare module '#/handler.ts' {
  interface PathRecords {
    readonly '{deployment}': LocatedDeployment
  }
}

export type DeploymentLocators = LocatorsOf<'{deployment}'>

export const makeDeploymentLocators = ({
  store,
  instances,
}: Pick<DeploymentsDeps, 'store' | 'instances'>): DeploymentLocators => ({
  '{deployment}': byPathId(async (id) => {
    const row = await findDeployment(store.db, id)
    const instance = row && (await instances.find(row.instance_id))
    return row && instance ? { row, instance } : undefined
  }),
})
