import { type Access, fail, type NodeIdentity, type Operation } from '@fleet/contract'
import type { Caller } from '#/call.ts'
import type { Located } from '#/handler.ts'
import type { Clusters } from '#/clusters/api.ts'
import type { Instances } from '#/instances/api.ts'
import { accessRequired, type Nodes } from '#/nodes/api.ts'
import type { Projects } from '#/projects/api.ts'

/** What is known of Nodes beside the records that a path names. */
export interface AccessRecords {
  readonly nodes: Nodes
  readonly projects: Pick<Projects, 'nodeIdsOf'>
  readonly clusters: Pick<Clusters, 'find'>
  readonly instances: Pick<Instances, 'find'>
}

// A Project without Instances is readable by every peer (PRJ-031); a request without a usable `node_id` fails at its input check.
const OPEN_WITHOUT_NODES: readonly Access[] = [
  'bodyNode',
  'queryNode',
  'bodyRoute',
  'bodyTarget',
  'projectAddressable',
]

export const makeAuthorize =
  (nodes: Pick<Nodes, 'mayActOn' | 'addressable'>) =>
  async ({ access }: Operation, caller: Caller | undefined, located: Located): Promise<void> => {
    if (access === 'public' || access === 'peer' || access === 'agent' || access === 'scheduleHost') return
    if (!caller) throw fail('peer.identity_unknown')
    // Where the gateway Node is needed and none is active, nobody has a grant on it (GW-005).
    if (located.nodes.length === 0 && !OPEN_WITHOUT_NODES.includes(access)) throw accessRequired(caller, null)
    const refused = await firstRefused(nodes, caller, located)
    if (refused) throw accessRequired(caller, refused)
  }

/** The Node that the caller may not act on; of several that do for one another, the first. */
async function firstRefused(
  nodes: Pick<Nodes, 'mayActOn' | 'addressable'>,
  caller: Caller,
  { nodes: concerned, any = false }: Located,
): Promise<NodeIdentity | undefined> {
  const [first, ...others] = concerned
  if (!first) return undefined
  if (others.length === 0) return (await nodes.mayActOn(caller.id, first.id)) ? undefined : first
  const addressable = await nodes.addressable(caller)
  const refused = concerned.filter(({ id }) => !addressable.has(id))
  return any && refused.length < concerned.length ? undefined : refused[0]
}
