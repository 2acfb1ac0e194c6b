import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { RouterServices } from '#/clusters/ports.ts'
import type { MemberRecord } from '#/clusters/record.ts'

const refuse = async (_call: Call, { id, name }: MemberRecord): Promise<never> => {
  throw fail('node.capability_missing', {
    message: 'This gateway does not manage the services of a Router.',
    details: { node: { id, name }, capability: 'router' },
  })
}

/** For a gateway that has nothing which makes a Node serve as Router: no role may say that one does. */
export const noRouterServices: RouterServices = {
  requireCapable: refuse,
  converge: (call, _clusterId, candidate) => refuse(call, candidate),
  withdraw: (call, _clusterId, node) => refuse(call, node),
}
