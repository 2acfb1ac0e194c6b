import { type Clock, CodedError } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { SshFailure } from '@fleet/ssh'
import * as z from 'zod'
import { bounded } from '#/bounded.ts'
import type { Call } from '#/call.ts'
import type { Certificates, PublishedLeaf } from '#/certificates/certificates.ts'
import { type NamedLock, holding } from '#/locks/api.ts'
import type { Nodes } from '#/nodes/api.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

/** A leaf that is to be on a Node, and the lock of whatever may withdraw it. */
export interface LeafPlacement {
  readonly nodeId: number
  readonly lock: NamedLock
  readonly leaf: PublishedLeaf
}

/** A domain that publishes leaves. */
export interface LeafSource {
  leaves(): Promise<readonly LeafPlacement[]>
}

export interface RenewalDeps {
  readonly store: Pick<Store, 'locks' | 'work'>
  readonly clock: Pick<Clock, 'now'>
  readonly nodes: Pick<Nodes, 'find' | 'sessions'>
  readonly certificates: Pick<Certificates, 'isLeafDue' | 'publishLeaf' | 'loadWaiting' | 'requireSigning'>
  readonly sources: readonly LeafSource[]
}

const RENEW = 'certificate:renew'
const LOAD = 'certificate:load'
const CHECK_SECONDS = 3600
const NODES_AT_ONCE = 8
/** Leaves that were made together are due together: what reads them is reloaded once for all of such a time (decision 0274). */
const LOAD_SECONDS = 30
const leafName = z.strictObject({ node_id: z.int(), scope: z.string() })
const nodeName = z.strictObject({ node_id: z.int() })

/**
 * Checks every leaf on a Node once an hour, one round trip each, and renews those that are due, each as work of its own
 * (RTX-100); their readers are told of them together. One Node that fails keeps no other from its certificate.
 */
export const renewalKinds = (deps: RenewalDeps): readonly WorkKind[] => [
  workKind({
    name: 'certificate:check',
    payload: z.null(),
    everySeconds: CHECK_SECONDS,
    unrecorded: 'tick',
    run: (call) => checkAll(deps, call),
  }),
  workKind({ name: RENEW, payload: leafName, run: (call, leaf) => renew(deps, call, leaf) }),
  workKind({ name: LOAD, payload: nodeName, run: (call, node) => load(deps, call, node) }),
]

async function checkAll(deps: RenewalDeps, call: Call): Promise<void> {
  try {
    deps.certificates.requireSigning()
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    // Said once, not by each leaf: none of them can be renewed.
    const cause = error.cause instanceof Error ? error.cause.message : ''
    call.log('no certificate can be renewed', { code: error.code, cause })
    return
  }
  const byNode = Map.groupBy(await placements(deps), ({ nodeId }) => nodeId)
  await bounded([...byNode], NODES_AT_ONCE, ([nodeId, own]) => checkNode(deps, call, nodeId, own))
}

async function checkNode(
  deps: RenewalDeps,
  call: Call,
  nodeId: number,
  own: readonly LeafPlacement[],
): Promise<void> {
  const node = await deps.nodes.find(nodeId)
  if (!node) return
  const session = deps.nodes.sessions.overTunnel(call, node)
  for (const { leaf } of own) {
    try {
      if (await deps.certificates.isLeafDue(session, leaf)) await addRenewal(deps, nodeId, leaf)
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      const facts = { node: node.name, scope: leaf.scope, code: error.code }
      call.log('a certificate on a Node could not be checked', facts)
      // Each leaf of a machine that is away would take the time of a connection from the other Nodes.
      if (error.cause instanceof SshFailure) return
    }
  }
}

const addRenewal = ({ store, clock }: RenewalDeps, nodeId: number, { scope }: PublishedLeaf): Promise<void> =>
  store.work.add({
    kind: RENEW,
    key: `${nodeId}:${scope}`,
    payload: { node_id: nodeId, scope },
    dueAt: clock.now(),
  })

/** Does nothing about a leaf that was withdrawn meanwhile. */
async function renew(
  deps: RenewalDeps,
  call: Call,
  { node_id: nodeId, scope }: z.infer<typeof leafName>,
): Promise<void> {
  call.note.target(nodeId)
  call.note.property('scope', scope)
  const find = async (): Promise<LeafPlacement | undefined> =>
    (await placements(deps)).find((other) => other.nodeId === nodeId && other.leaf.scope === scope)
  const wanted = await find()
  if (!wanted) return
  await holding(deps.store, call, wanted.lock, async () => {
    const [placement, node] = [await find(), await deps.nodes.find(nodeId)]
    if (!placement || !node) return
    const { leaf } = placement
    const session = deps.nodes.sessions.overTunnel(call, node)
    const published = await deps.certificates.publishLeaf(session, { ...leaf, isLoadedLater: true })
    if (published === 'published' && leaf.reload !== undefined) await addLoad(deps, nodeId)
  })
}

/** One that was added already keeps its time. */
const addLoad = ({ store, clock }: RenewalDeps, nodeId: number): Promise<void> =>
  store.work.add({
    kind: LOAD,
    key: String(nodeId),
    payload: { node_id: nodeId },
    dueAt: new Date(clock.now().getTime() + LOAD_SECONDS * 1000),
  })

async function load(
  deps: RenewalDeps,
  call: Call,
  { node_id: nodeId }: z.infer<typeof nodeName>,
): Promise<void> {
  call.note.target(nodeId)
  const node = await deps.nodes.find(nodeId)
  if (!node) return
  const own = (await placements(deps)).filter((placement) => placement.nodeId === nodeId)
  const leaves = own.map(({ leaf }) => leaf)
  await deps.certificates.loadWaiting(deps.nodes.sessions.overTunnel(call, node), leaves)
}

const placements = async ({ sources }: RenewalDeps): Promise<readonly LeafPlacement[]> =>
  (await Promise.all(sources.map((source) => source.leaves()))).flat()
