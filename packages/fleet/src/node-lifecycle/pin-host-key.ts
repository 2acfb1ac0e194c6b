import { fail } from '@fleet/contract'
import { run } from '@fleet/shell'
import type { Call } from '#/call.ts'
import { holding } from '#/locks/api.ts'
import { requireOnlyMachine } from '#/node-lifecycle/enrolment/guards.ts'
import type { LifecycleDeps } from '#/node-lifecycle/enrolment/provisioning.ts'
import { findOpenPath, type OpenPath, sessionOver } from '#/node-lifecycle/open-path.ts'
import {
  findNodeByName,
  identityOf,
  nodeNameHold,
  type NodeRecord,
  publishNode,
  updateNode,
} from '#/nodes/api.ts'

/** A new SSH host key of a machine that stays the Node that it is. */
export interface HostKeyPin {
  readonly name: string
  /** As a person read it on the console of the machine: `SHA256:` and 43 characters. */
  readonly fingerprint: string
}

/**
 * Replaces the pinned SSH host key of an active Node and nothing else, also of one that owns Instances. Only the gateway's console
 * offers it: it decides which machine the gateway trusts (decision 0363). The machine must present the approved key and let the
 * gateway in, so one that was installed anew keeps the record as it is. The same key again writes nothing.
 */
export const makePinHostKey =
  (deps: LifecycleDeps) =>
  (call: Call, { name, fingerprint }: HostKeyPin): Promise<NodeRecord> =>
    holding(deps.store, call, nodeNameHold(name), async () => {
      const recorded = await requireActive(deps, name)
      call.note.target(recorded.id)
      call.note.subject('node', recorded.id)
      call.note.property('host_key_fingerprint', fingerprint)
      const { path, fingerprint: observed } = await findOpenPath(deps, call, recorded)
      if (observed !== fingerprint)
        throw fail('node.ssh_host_key_mismatch', { details: { node: identityOf(recorded) } })
      if (observed === recorded.ssh_host_fingerprint) return recorded
      await requireOnlyMachine(deps, recorded, fingerprint)
      const node = { ...recorded, ssh_host_fingerprint: fingerprint }
      await requireLogin(deps, call, node, path)
      call.locks.requireHeld()
      await updateNode(deps.store.db, node.id, { ssh_host_fingerprint: fingerprint })
      await publishNode(deps.store.db, call, node.id)
      return node
    })

async function requireActive({ store }: LifecycleDeps, name: string): Promise<NodeRecord> {
  const node = await findNodeByName(store.db, name)
  if (!node) throw fail('node.not_found', { message: 'No Node has this name.' })
  if (node.status !== 'active') throw fail('node.not_active', { details: { node: identityOf(node) } })
  return node
}

const LOGIN_SECONDS = 20

/** Throws `node.authentication_failed` for a machine that does not know the gateway, and `node.command_failed`. */
async function requireLogin(
  deps: LifecycleDeps,
  call: Call,
  node: NodeRecord,
  path: OpenPath['path'],
): Promise<void> {
  const { exitCode } = await sessionOver(deps, call, node, path).run(run('true'), {
    timeoutSeconds: LOGIN_SECONDS,
  })
  if (exitCode !== 0) throw fail('node.command_failed', { details: { node: identityOf(node) } })
}
