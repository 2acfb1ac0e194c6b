import { fail } from '@fleet/contract'
import type { DeploymentsDeps } from '#/deployments/deps.ts'
import type { HandlerRequest } from '#/handler.ts'
import type { InstanceRecord } from '#/instances/api.ts'

/** The Instance of a request. Throws `instance.not_found`. */
export async function requestedInstance(
  { instances }: Pick<DeploymentsDeps, 'instances'>,
  { input, found }: HandlerRequest<{ readonly instance: number }, { readonly instance: InstanceRecord }>,
): Promise<InstanceRecord> {
  const instance = found?.instance ?? (await instances.find(input.instance))
  if (!instance) throw fail('instance.not_found')
  return instance
}

/** Throws `node.not_active`. */
export function requireNode({ node }: InstanceRecord): void {
  if (node.status !== 'active')
    throw fail('node.not_active', { details: { node: { id: node.id, name: node.name } } })
}
