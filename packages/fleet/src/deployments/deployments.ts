import { requestedInstance } from '#/deployments/find.ts'
import type { DeploymentsDeps } from '#/deployments/deps.ts'
import { presentDeployment } from '#/deployments/present.ts'
import { listDeployments } from '#/deployments/queries.ts'
import type { Handler } from '#/handler.ts'

export const makeDeploymentList =
  (deps: DeploymentsDeps): Handler<'instance:deployments'> =>
  async (request) => {
    const { id } = await requestedInstance(deps, request)
    return { data: (await listDeployments(deps.store.db, id)).map(presentDeployment) }
  }
