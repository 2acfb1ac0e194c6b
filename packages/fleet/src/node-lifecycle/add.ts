import { fail } from '@fleet/contract'
import { isTaken } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { holding } from '#/locks/api.ts'
import {
  findNodeByName,
  grantEnrolled,
  listRoles,
  nodeNameHold,
  type NodeRecord,
  presentNode,
  updateNode,
} from '#/nodes/api.ts'
import { changesTldAlone, desiredRecord } from '#/node-lifecycle/enrolment/desired.ts'
import { requireAllowed, requireSupported } from '#/node-lifecycle/enrolment/guards.ts'
import type { AddInput, LifecycleDeps, Provisioning } from '#/node-lifecycle/enrolment/provisioning.ts'
import { draftRecord, reserveNode } from '#/node-lifecycle/enrolment/reserve.ts'
import { provision } from '#/node-lifecycle/enrolment/run.ts'
import { inConvergenceOrder } from '#/roles/api.ts'

/**
 * Enrolls a machine, resumes an unfinished enrollment, or converges an existing Node: one request for all three
 * (NODE-026, NODE-061). No caller is needed: the gateway's console creates the first Node of a fleet (NODE-064).
 */
export const makeAdd =
  (deps: LifecycleDeps): Handler<'node:add'> =>
  async ({ call, input }) => {
    requireSupported(input)
    await deps.services.tunnel.requireConfigured()
    return holding(deps.store, call, nodeNameHold(input.name), async () => {
      const recorded = await findNodeByName(deps.store.db, input.name)
      const planned = recorded
        ? await planRecorded(deps, call, recorded, input)
        : await planNew(deps, call, input)
      const { node, followUp } = await carryOut(deps, call, input, planned)
      const created = planned.node.provisioned_at === null
      call.event(created ? 'node.created' : 'node.updated', presentNode(node))
      return { data: { ...presentNode(node), follow_up: followUp.join('\n') || null }, created }
    })
  }

type Plan = Pick<Provisioning, 'node' | 'earlier' | 'isBehind' | 'isOverTunnel' | 'bootstrapUser'>

async function planNew(deps: LifecycleDeps, call: Call, input: AddInput): Promise<Plan> {
  const draft = draftRecord(input, deps.clock.now().toISOString())
  await requireAllowed(deps, call, draft, input, null)
  const node = await reserveNode(deps, call, draft, input.wireguard_ip ?? null)
  return {
    node,
    earlier: undefined,
    isBehind: false,
    isOverTunnel: false,
    bootstrapUser: input.user ?? 'root',
  }
}

async function planRecorded(
  deps: LifecycleDeps,
  call: Call,
  recorded: NodeRecord,
  input: AddInput,
): Promise<Plan> {
  const instances = await deps.services.owned.instances(recorded.id)
  const isBehind = input.tld === recorded.tld && (await deps.services.routes.isBehind(recorded))
  if (instances > 0 && !changesTldAlone(recorded, input, isBehind))
    throw fail('node.has_instances', { details: { node: { id: recorded.id, name: recorded.name } } })
  const node = desiredRecord(recorded, input)
  await requireAllowed(deps, call, node, input, recorded.cluster_id)
  if (node.wireguard_ip !== recorded.wireguard_ip) await deps.services.tunnel.allocate(node.wireguard_ip)
  if (recorded.tld !== node.tld) await deps.services.routes.requireTld(recorded, node)
  const hasRoles = (await listRoles(deps.store.db, node.id)).length > 0
  const isOverTunnel = hasRoles && node.wireguard_public_key !== null
  const isManaged = isOverTunnel || recorded.provisioned_at !== null
  const bootstrapUser = input.user ?? (isManaged ? node.user : 'root')
  if (recorded.status === 'active') return { node, earlier: recorded, isBehind, isOverTunnel, bootstrapUser }
  await beginAgain(deps, call, recorded, node)
  return {
    node: { ...node, status: 'provisioning' },
    earlier: undefined,
    isBehind: false,
    isOverTunnel,
    bootstrapUser,
  }
}

/** A resumed enrollment uses the values of the identical, or a corrected, request (NODE-020). */
async function beginAgain(
  { store, clock }: LifecycleDeps,
  call: Call,
  recorded: NodeRecord,
  node: NodeRecord,
): Promise<void> {
  const { id: _id, activeRoles: _roles, created_at: _at, cluster_id: _cluster, ...values } = node
  const status = 'provisioning'
  const record = store.transaction(async (db) => {
    await updateNode(db, recorded.id, { ...values, status, failed_step: null, error_code: null })
    // Another caller may resume it; a Node whose enrollment once finished keeps the grants that its operators chose.
    if (recorded.provisioned_at === null)
      await grantEnrolled(db, recorded.id, call.caller?.id, clock.now().toISOString())
  })
  await record.catch((error: unknown) => {
    if (!isTaken(error, 'nodes(wireguard_ip)')) throw error
    throw fail('vpn.address_taken', { details: { wireguard_ip: node.wireguard_ip }, cause: error })
  })
}

async function carryOut(
  deps: LifecycleDeps,
  call: Call,
  input: AddInput,
  plan: Plan,
): ReturnType<typeof provision> {
  const { node } = plan
  call.note.target(node.id)
  call.note.subject('node', node.id)
  const earlierRoles = await listRoles(deps.store.db, node.id)
  const roles = inConvergenceOrder(input.roles ?? [])
  return provision({ ...plan, deps, call, input, roles, earlierRoles, notRolledBack: [], followUp: [] })
}
