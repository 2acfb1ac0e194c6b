import type { Store } from '@fleet/store'
import type { HandlerRequest } from '#/handler.ts'
import { type BusyLockKind, holding, lockOf } from '#/locks/api.ts'
import { requireNode } from '#/nodes/locks.ts'
import type { Nodes } from '#/nodes/nodes.ts'
import type { NodeRecord } from '#/nodes/record.ts'
import type { NodeSession } from '#/nodes/session/session.ts'

export interface OnNodeDeps {
  readonly store: Store
  readonly nodes: Pick<Nodes, 'sessions'>
}

export interface NodeWork {
  readonly node: NodeRecord
  /** Over the tunnel. */
  readonly session: NodeSession
}

type Request = HandlerRequest<{ readonly node: number }, { readonly node: NodeRecord }>

/**
 * Runs the work on the Node that the path names, under its lock of that kind. Throws the busy code of the lock and
 * `node.not_found`.
 */
export async function onNode<T>(
  { store, nodes }: OnNodeDeps,
  { call, input, found }: Request,
  kind: BusyLockKind,
  work: (on: NodeWork) => Promise<T>,
): Promise<T> {
  const node = found?.node ?? (await requireNode(store, input.node))
  return holding(store, call, lockOf(kind, node.id), () =>
    work({ node, session: nodes.sessions.overTunnel(call, node) }),
  )
}
