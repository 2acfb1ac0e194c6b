import { type ErrorCode, fail, isErrorCode, publicSshHost, publicSshPort } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { SshFailure } from '@fleet/ssh'
import type { NewRow } from '@fleet/store'
import { columnsLog, stepList, type StepLog } from '@fleet/steps'
import type { Call } from '#/call.ts'
import { holding } from '#/locks/api.ts'
import {
  findNodeByName,
  listRoles,
  nodeNameHold,
  type NodeRecord,
  publishNode,
  tunnelTarget,
  updateNode,
} from '#/nodes/api.ts'
import type { LifecycleDeps } from '#/node-lifecycle/enrolment/provisioning.ts'
import { performSteps } from '#/perform-steps.ts'
import { publicAddressOf, scanHostKey } from '#/node-lifecycle/open-path.ts'

/** Where the public SSH of a Node is from now on. */
export interface RetargetRequest {
  readonly name: string
  readonly host: string
  /** The recorded one when absent. */
  readonly port?: number | undefined
  /** Approved fingerprint of the key at the new address; needed for a Node without roles. */
  readonly fingerprint?: string | undefined
}

export interface Retarget {
  readonly deps: LifecycleDeps
  readonly call: Call
  /** The Node as it is going to be. */
  readonly node: NodeRecord
  /** Approved for the key at the new address. */
  readonly fingerprint: string | undefined
}

/** Of a Node without roles. Nothing is undone: it stays `failed` with its earlier address until one is proven. */
export const nodeRetarget = stepList<Retarget>(
  'node-retarget',
  [
    { name: 'ssh-host-key', run: requireKey },
    {
      name: 'wireguard-address',
      run: async ({ node }) => {
        if (node.wireguard_ip === null) throw fail('vpn.peer_address_missing')
      },
    },
    {
      name: 'wireguard-peer',
      run: async ({ deps, call, node }) => {
        const session = deps.sessions.overPublicSsh(call, node, node.user)
        await deps.services.tunnel.join(session, { isHub: false })
      },
    },
    { name: 'wireguard-ssh', run: requireTunnelSsh },
  ],
  { forwardOnly: true },
)

/**
 * Changes the public SSH address of a Node; its key, tunnel address and identity stay (NODE-099 to NODE-102). Only the
 * gateway's console offers it (NODE-034). Each refusal and failure has `details.step`; one after the lookup leaves the
 * Node `failed` with its earlier address.
 */
export const makeRetarget =
  (deps: LifecycleDeps) =>
  async (call: Call, request: RetargetRequest): Promise<NodeRecord> => {
    requireAddress(request)
    return holding(deps.store, call, nodeNameHold(request.name), async () => {
      const recorded = await requireActive(deps, request.name)
      const { host: public_ssh_host, port } = request
      const target = { public_ssh_host, public_ssh_port: port ?? recorded.public_ssh_port ?? 22 }
      const node = { ...recorded, ...target }
      const retarget: Retarget = { deps, call, node, fingerprint: request.fingerprint }
      call.note.target(recorded.id)
      call.note.subject('node', recorded.id)
      const hasRoles = (await listRoles(deps.store.db, recorded.id)).length > 0
      if (hasRoles) await requireTunnel(retarget)
      else await overPublicSsh(retarget)
      call.locks.requireHeld()
      await updateNode(deps.store.db, recorded.id, target)
      await publishNode(deps.store.db, call, recorded.id)
      await followOnHub(retarget)
      return retarget.node
    })
  }

/** After a start the hub knocks at the recorded address. The new one is recorded by then: Doctor reports a hub without it. */
async function followOnHub({ deps, call, node }: Retarget): Promise<void> {
  try {
    await deps.services.tunnel.publish(call)
  } catch (error) {
    const code = error instanceof CodedError ? error.code : 'http.500'
    call.log('the hub did not get the new address of a Node', { node: node.id, code })
  }
}

function requireAddress({ host, port }: RetargetRequest): void {
  const details = { step: 'validation' }
  if (!publicSshHost.safeParse(host).success) throw fail('node.public_ssh_host_invalid', { details })
  if (port !== undefined && !publicSshPort.safeParse(port).success)
    throw fail('node.public_ssh_port_invalid', { details })
}

async function requireActive({ store }: LifecycleDeps, name: string): Promise<NodeRecord> {
  const details = { step: 'lookup' }
  const node = await findNodeByName(store.db, name)
  if (!node) throw fail('node.not_found', { message: 'No Node has this name.', details })
  if (node.status !== 'active') throw fail('node.not_active', { details })
  return node
}

/** A Node with roles has no public SSH to try: the tunnel has to answer, and its configuration stays as it is (NODE-100). */
async function requireTunnel({ deps, call, node }: Retarget): Promise<void> {
  try {
    await probe(deps, call, node)
  } catch (cause) {
    throw fail('node.retarget_requires_vpn', { details: { step: 'wireguard-ssh' }, cause })
  }
}

async function overPublicSsh(retarget: Retarget): Promise<void> {
  const { call, fingerprint } = retarget
  if (fingerprint === undefined)
    throw fail('node.ssh_host_fingerprint_required', { details: { step: 'validation' } })
  await performSteps(nodeRetarget, retarget, {
    call,
    log: retargetLog(retarget),
    errorOf: ({ step, cause }) => withStep(cause, step),
  })
}

/** The Node is left `failed` at the step, with the address that it had. */
export const retargetLog = ({ deps, node }: Retarget): StepLog =>
  columnsLog<Partial<NewRow<'nodes'>>>({
    on: {
      failed: (failed_step, cause) => ({
        status: 'failed',
        failed_step,
        error_code: withStep(cause, failed_step).code,
      }),
    },
    write: (values) => updateNode(deps.store.db, node.id, values),
  })

async function requireTunnelSsh({ deps, call, node }: Retarget): Promise<void> {
  try {
    await probe(deps, call, node)
  } catch (cause) {
    throw cause instanceof SshFailure ? fail('vpn.peer_ssh_failed', { cause }) : cause
  }
}

/** The approved key, which is also the one that the Node has always had. */
async function requireKey({ deps, call, node, fingerprint }: Retarget): Promise<void> {
  const observed = await scanHostKey(deps.ssh, call, publicAddressOf(node))
  if (observed !== fingerprint || observed !== node.ssh_host_fingerprint)
    throw fail('node.ssh_host_key_mismatch')
}

const PROBE_MILLISECONDS = 10_000

const probe = ({ ssh }: LifecycleDeps, { deadline }: Call, node: NodeRecord): Promise<void> =>
  ssh.probe(tunnelTarget(node), Math.min(PROBE_MILLISECONDS, deadline.forwardMilliseconds()))

function withStep(error: unknown, name: string): CodedError {
  if (!(error instanceof CodedError) || !isErrorCode(error.code))
    return fail('node.provisioning_failed', { details: { step: name }, cause: error })
  const code: ErrorCode = error.code
  return fail(code, { message: error.message, details: { ...error.details, step: name }, cause: error })
}
