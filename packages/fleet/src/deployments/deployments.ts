import { requestedInstance } from '#/deployments/find.ts'
import type { DeploymentsParts } from '#/deployments/parts.ts'
import { presentDeployment } from '#/deployments/present.ts'
import { listDeployments } from '#/deployments/queries.ts'
import type { Handler } from '#/handler.ts'

export const makeDeploymentList =
  (parts: DeploymentsParts): Handler<'instance:deployments'> =>
  async (request) => {
    const { id } = await requestedInstance(parts, request)
    return { data: (await listDeployments(parts.store.db, id)).map(presentDeployment) }
  }
