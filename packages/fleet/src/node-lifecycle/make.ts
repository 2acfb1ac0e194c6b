import type { Call } from '#/call.ts'
import type { HandlersOf } from '#/handler.ts'
import { makeAdd } from '#/node-lifecycle/add.ts'
import { makeConverge } from '#/node-lifecycle/converge.ts'
import type { LifecycleDeps } from '#/node-lifecycle/enrolment/provisioning.ts'
import { type HostKeyPin, makePinHostKey } from '#/node-lifecycle/pin-host-key.ts'
import { makeRemove } from '#/node-lifecycle/remove.ts'
import { makeRetarget, type RetargetRequest } from '#/node-lifecycle/retarget.ts'
import { makeSettings } from '#/node-lifecycle/settings.ts'
import { makeSessions, type NodeRecord } from '#/nodes/api.ts'

export type NodeLifecycleDeps = Omit<LifecycleDeps, 'sessions'>

export interface NodeLifecycle {
  readonly handlers: HandlersOf<'node:add' | 'node:remove' | 'node:settings' | 'node:converge'>
  /** For the gateway's console alone (NODE-034). */
  readonly retarget: (call: Call, request: RetargetRequest) => Promise<NodeRecord>
  /** As well. */
  readonly pinHostKey: (call: Call, pin: HostKeyPin) => Promise<NodeRecord>
}

/** Makes a machine a Node, keeps it as this gateway wants it, and takes it out again. */
export function makeNodeLifecycle(given: NodeLifecycleDeps): NodeLifecycle {
  const deps: LifecycleDeps = {
    ...given,
    sessions: makeSessions(given.ssh),
  }
  return {
    handlers: {
      'node:add': makeAdd(deps),
      'node:remove': makeRemove(deps),
      'node:settings': makeSettings(deps),
      'node:converge': makeConverge(deps),
    },
    retarget: makeRetarget(deps),
    pinHostKey: makePinHostKey(deps),
  }
}
