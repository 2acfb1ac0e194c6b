import {
  makeMachines,
  makeNodeLifecycle,
  makeNodes,
  makeRoleHandlers,
  type NodeLifecycle,
  type NodeLifecycleParts,
  type NodesDomain,
  type NodesParts,
  type RoleHandlers,
} from '@fleet/fleet'

/** Every operation on Nodes: their records, their roles and their lifecycle, in one object. */
export interface NodeDomains extends Omit<NodesDomain, 'handlers'>, Pick<NodeLifecycle, 'retarget'> {
  readonly handlers: NodesDomain['handlers'] & NodeLifecycle['handlers'] & RoleHandlers
}

export function makeNodeDomains(parts: NodesParts & NodeLifecycleParts): NodeDomains {
  const nodes = makeNodes(parts)
  const roles = makeRoleHandlers({ ...parts, machines: makeMachines(parts.ssh) })
  const { handlers, retarget } = makeNodeLifecycle(parts)
  return { ...nodes, retarget, handlers: { ...nodes.handlers, ...roles, ...handlers } }
}
