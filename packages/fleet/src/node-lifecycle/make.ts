import type { Call } from '#/call.ts'
import type { HandlersOf } from '#/handler.ts'
import { makeAdd } from '#/node-lifecycle/add.ts'
import { makeConverge } from '#/node-lifecycle/converge.ts'
import type { LifecycleParts } from '#/node-lifecycle/enrolment/provisioning.ts'
import { makeRemove } from '#/node-lifecycle/remove.ts'
import { makeRetarget, type RetargetRequest } from '#/node-lifecycle/retarget.ts'
import { makeSettings } from '#/node-lifecycle/settings.ts'
import { makeSessions, type NodeRecord } from '#/nodes/api.ts'

export type NodeLifecycleParts = Omit<LifecycleParts, 'sessions'>

export interface NodeLifecycle {
  readonly handlers: HandlersOf<'node:add' | 'node:remove' | 'node:settings' | 'node:converge'>
  /** For the gateway's console alone (NODE-034). */
  readonly retarget: (call: Call, request: RetargetRequest) => Promise<NodeRecord>
}

/** Makes a machine a Node, keeps it as this gateway wants it, and takes it out again. */
export function makeNodeLifecycle(given: NodeLifecycleParts): NodeLifecycle {
  const parts: LifecycleParts = {
    ...given,
    sessions: makeSessions(given.ssh),
  }
  return {
    handlers: {
      'node:add': makeAdd(parts),
      'node:remove': makeRemove(parts),
      'node:settings': makeSettings(parts),
      'node:converge': makeConverge(parts),
    },
    retarget: makeRetarget(parts),
  }
}
