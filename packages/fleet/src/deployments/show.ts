import { fail } from '@fleet/contract'
import type { DeploymentsDeps } from '#/deployments/deps.ts'
import { presentDetail } from '#/deployments/present.ts'
import { findDeployment } from '#/deployments/queries.ts'
import type { Handler } from '#/handler.ts'

export const makeShow =
  ({ store }: Pick<DeploymentsDeps, 'store'>): Handler<'deployment:show'> =>
  async ({ input, found }) => {
    const row = found?.deployment.row ?? (await findDeployment(store.db, input.deployment))
    if (!row) throw fail('deployment.not_found')
    return { data: presentDetail(row) }
  }
