import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { type Step, stepList } from '@fleet/steps'
import { violationOf } from '@fleet/store'
import { forgetNode } from '#/activities/api.ts'
import { keepingEvents } from '#/call.ts'
import { trustingAgent } from '#/node-lifecycle/agent.ts'
import { requireUnowned } from '#/node-lifecycle/removal/guards.ts'
import { deleteNode, type NodeRecord } from '#/nodes/api.ts'
import { hasJoined, sessionOf, readRemoval, type Removal, type RemovalKind } from './removal.ts'

type RemovalStep = Step<Removal>
type Kinds = readonly RemovalKind[]

interface Described extends RemovalStep {
  readonly kinds: Kinds
  /** Made only where an enrolment came as far as the tunnel: before that nothing of Fleet runs on the machine (NODE-087). */
  readonly needsPeer?: true
}

const ALL: Kinds = ['online', 'reachable', 'silent']
const ANSWERING: Kinds = ['online', 'reachable']

/** The steps of a removal in their order, and for which kinds of it they are made (NODE-086, NODE-094, NODE-095). */
const STEPS: readonly Described[] = [
  {
    name: 'grafana-access-revocation',
    kinds: ALL,
    run: ({ deps, call, node }) => deps.services.exporters.revokeAccess(call, node),
  },
  {
    name: 'metrics-exporters',
    kinds: ANSWERING,
    needsPeer: true,
    run: ({ deps, call, node }) => deps.services.exporters.withdraw(call, node),
    undo: ({ deps, call, node }) => deps.services.exporters.reconcile(call, node),
  },
  { name: 'agent', kinds: ANSWERING, needsPeer: true, run: removeAgent, undo: restoreAgent },
  {
    name: 'firewall-recovery',
    kinds: ['online'],
    needsPeer: true,
    run: async (removal) => {
      const { firewall } = removal.deps.services
      await firewall.openPublicSsh(sessionOf(removal))
      await firewall.freeCallers(sessionOf(removal))
    },
    undo: (removal) => removal.deps.services.firewall.limitCallers(sessionOf(removal)),
  },
  { name: 'resolver', kinds: ['online'], needsPeer: true, run: releaseResolver, undo: restoreResolver },
  {
    name: 'wireguard-projection',
    kinds: ALL,
    run: async ({ deps, call, node, outcome }) => {
      // A repeated step finds no peer any more, also where the first process died before it could record its own.
      if ((await deps.services.tunnel.leave(call, node)) || hasBegun(node, 'wireguard-projection'))
        outcome.peerRemoved = true
    },
    undo: async ({ deps, call, node }) => {
      await deps.services.tunnel.rejoin(call, node)
      // A Node has names for as long as it is in the network.
      await deps.services.dns.publish(call)
    },
  },
  {
    name: 'router-lan-ingress',
    kinds: ALL,
    run: ({ deps, call, node }) => deps.services.membership.withdrawLanAccess(call, node),
    undo: ({ deps, call, node }) => deps.services.membership.updateLanAccess(call, node),
  },
  {
    name: 'dns-projection',
    kinds: ALL,
    run: async ({ deps, call, node, outcome }) => {
      const names = await deps.services.dns.publishWithout(call, node)
      outcome.namesRemoved = Math.max(outcome.namesRemoved, names)
    },
    undo: ({ deps, call }) => deps.services.dns.publish(call),
  },
  { name: 'persistence', kinds: ALL, commits: true, run: deleteRecord },
]

export const nodeRemoval = stepList<Removal>('node-removal', ({ kind, node }) =>
  STEPS.filter(({ kinds, needsPeer }) => kinds.includes(kind) && (!needsPeer || hasJoined(node))).map(
    ({ kinds: _kinds, needsPeer: _needsPeer, ...step }) => step,
  ),
)

/** An earlier request came as far as this step of a Node that had joined. */
const hasBegun = (node: Removal['node'], step: string): boolean =>
  hasJoined(node) && readRemoval(node).steps[step] !== undefined

/** Best effort: a machine that keeps its agent is refused by the gateway anyway, because the secret goes with the record. */
async function removeAgent(removal: Removal): Promise<'skipped' | undefined> {
  const { deps, call, node, outcome } = removal
  try {
    await trustingAgent(deps.services).remove(sessionOf(removal))
    return undefined
  } catch (error) {
    requireNotOver(error)
    outcome.agentLeft = true
    call.log('the agent of a removed Node was not stopped', { node: node.id, code: codeOf(error) })
    return 'skipped'
  }
}

/** Best effort as well: Doctor reports a Node that stays without its agent. */
async function restoreAgent(removal: Removal): Promise<void> {
  const { deps, call, node } = removal
  try {
    await trustingAgent(deps.services).converge(sessionOf(removal), { force: false })
  } catch (error) {
    requireNotOver(error)
    call.log('the agent of a Node whose removal failed was not restored', {
      node: node.id,
      code: codeOf(error),
    })
  }
}

/** Best effort: a machine whose resolver is somebody else's can leave too. The fleet's DNS is about to be out of its reach (NODE-065). */
async function releaseResolver(removal: Removal): Promise<'skipped' | undefined> {
  const { deps, call, node, outcome } = removal
  try {
    await deps.services.tunnel.releaseResolver(sessionOf(removal))
    return undefined
  } catch (error) {
    requireNotOver(error)
    outcome.resolverLeft = true
    call.log('the resolver of a removed Node was not released', { node: node.id, code: codeOf(error) })
    return 'skipped'
  }
}

async function restoreResolver(removal: Removal): Promise<void> {
  await removal.deps.services.tunnel.applyResolver(sessionOf(removal), false)
}

/**
 * Grants, exclusions, roles, artifacts, managers and Processes of a silent Node go with the row, or nothing does; Activities stay and name
 * nobody (EV-077, GRANT-013). Until then the Node was a member that others could store something on, so it is asked again what it owns.
 */
async function deleteRecord(removal: Removal): Promise<void> {
  const { deps, call, node, kind } = removal
  const { owned, routes, tunnel } = deps.services
  const kept = keepingEvents(call)
  try {
    await deps.store.transaction(async (db) => {
      await requireStillUnowned(removal)
      if (!(await tunnel.endLeave(db, node))) throw cameBack(node)
      if (kind === 'silent') await owned.dropProcesses(db, kept.call, node.id)
      await forgetNode(db, node.id)
      await routes.followRemoval(db, node)
      await deleteNode(db, node.id)
    })
  } catch (error) {
    // On PostgreSQL a record can still come between the question and the deletion.
    if (violationOf(error)?.kind === 'reference') await requireStillUnowned(removal)
    throw error
  }
  await kept.publish()
  // What ends this request must not write the id back.
  call.note.target(null)
  deps.ssh.forget(node.id)
}

const requireStillUnowned = ({ deps, node, roles, kind }: Removal): Promise<void> =>
  requireUnowned(deps.services.owned, node, roles, kind === 'silent')

/** Its peer is published again, and would stay on the hub when its record is gone. */
const cameBack = ({ id, name }: NodeRecord) =>
  fail('node.provisioning_busy', {
    message: `The Node ${name} was brought back into the private network while it was being removed, as \`fleet node:converge ${name} --force\` does, so it stays. To remove it, run \`fleet node:remove ${name}\`.`,
    details: { node: { id, name } },
  })

const codeOf = (error: unknown): string => (error instanceof CodedError ? error.code : 'http.500')

/** Best effort ends where the request itself does. */
function requireNotOver(error: unknown): void {
  if (error instanceof CodedError && ['node.lock_lost', 'http.draining'].includes(error.code)) throw error
}
