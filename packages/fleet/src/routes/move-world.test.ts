import * as z from 'zod'
import { type InputOf, type TransferProgress, transferProgress } from '@fleet/contract'
import { addCluster, addNode, addRole, fakeCall } from '@fleet/testing'
import { addApp, createInstance, type World } from '#/routes/world.test.ts'

/** An Instance on one of two Nodes, each in a Cluster of its own with a Router. */
export async function twoNodes(world: World) {
  const { store, node } = world
  const other = await addNode(store, { wireguard_ip: '10.44.0.9', roles: ['app-dev'] })
  for (const [member, tld] of [
    [node, 'here'],
    [other, 'there'],
  ] as const) {
    const router = await addNode(store, { wireguard_ip: `10.44.1.${member.id}` })
    await addCluster(store, { tld, state: 'active' }, [member, router])
    await addRole(store, { node_id: router.id, role: 'router' })
  }
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id })
  world.done.length = 0
  return { other, data, project }
}

/** `instance:transfer` */
export const transfer = (world: World, given: InputOf<'instance:transfer'>) =>
  world.instances.handlers['instance:transfer']({ call: fakeCall(), input: given })

/** What a failure of a transfer says of it. */
export const progressOf = (error: unknown): TransferProgress =>
  z.object({ details: z.object({ transfer: transferProgress }) }).parse(error).details.transfer
