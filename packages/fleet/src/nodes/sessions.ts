import { type ErrorCode, fail } from '@fleet/contract'
import { type CodedError, LIMITS } from '@fleet/kernel'
import type { Command } from '@fleet/shell'
import { type CommandResult, SshFailure, type SshFailureKind, type SshPool, type SshTarget } from '@fleet/ssh'
import type { Call } from '#/call.ts'
import type { Sessions } from '#/nodes/nodes.ts'
import { identityOf } from '#/nodes/present.ts'
import type { NodeRecord } from '#/nodes/record.ts'
import { makeSession, type NodeRunOptions, type NodeSession } from '#/nodes/session/session.ts'

type RunOn = (
  call: Call,
  node: NodeRecord,
  target: SshTarget,
  command: Command,
  options?: NodeRunOptions,
) => Promise<CommandResult>

/** Runs a command wherever the target says, in the time the request has left. */
const makeRunOn =
  (ssh: SshPool): RunOn =>
  async (call, node, target, command, options = {}) => {
    const allowed = allowedTime(call, options)
    if (allowed.milliseconds <= 0) throw deadlineExceeded(node, 'deadline')
    try {
      return await ssh.run(target, command, {
        timeoutMilliseconds: allowed.milliseconds,
        signal: options.signal ? AbortSignal.any([call.signal, options.signal]) : call.signal,
        ...(options.maxOutputBytes === undefined ? {} : { maxOutputBytes: options.maxOutputBytes }),
        ...(options.onOutput ? { onOutput: options.onOutput } : {}),
        ...(options.isLong ? { isLong: true } : {}),
        ...(options.stdoutTo ? { stdoutTo: options.stdoutTo } : {}),
        ...(options.stdinFrom ? { stdinFrom: options.stdinFrom } : {}),
      })
    } catch (error) {
      throw error instanceof SshFailure ? failureOf(node, target, error, allowed.bound) : error
    }
  }

/** Sessions with Nodes, also before a machine is one. */
export function makeSessions(ssh: SshPool): Sessions {
  const runOn = makeRunOn(ssh)
  const session = (call: Call, node: NodeRecord, login: string, target: () => SshTarget): NodeSession =>
    makeSession({
      call,
      node,
      login,
      send: async (sender, command, options) => runOn(sender, node, target(), command, options),
    })
  return {
    overTunnel: (call, node, user = node.user) =>
      session(call, node, user, () => ({ ...tunnelTarget(node), user })),
    overPublicSsh: (call, node, user) => session(call, node, user, () => publicTargetOf(node, user)),
  }
}

type Bound = 'deadline' | 'timeout'

/** The command's own timeout, cut to what the request has left (GW-034, GW-035). */
function allowedTime(
  { deadline }: Call,
  { timeoutSeconds, cleanup }: NodeRunOptions,
): { milliseconds: number; bound: Bound } {
  const own = (timeoutSeconds ?? LIMITS.commandSeconds) * 1000
  const rest = cleanup ? deadline.remainingMilliseconds() : deadline.forwardMilliseconds()
  return own <= rest ? { milliseconds: own, bound: 'timeout' } : { milliseconds: rest, bound: 'deadline' }
}

/** Where an enrolled Node is reached. Throws `node.unreachable` and `node.ssh_host_key_missing`. */
export function tunnelTarget(node: NodeRecord): SshTarget {
  const { id, wireguard_ip: host, ssh_port: port, user, ssh_host_fingerprint: fingerprint } = node
  if (host === null)
    throw fail('node.unreachable', {
      message: 'The Node has no tunnel address.',
      details: { node: identityOf(node) },
    })
  // Without a pin the first answer would be trusted, whoever gives it.
  if (fingerprint === null) throw fail('node.ssh_host_key_missing', { details: { node: identityOf(node) } })
  return { nodeId: id, host, port, user, fingerprint }
}

function publicTargetOf(node: NodeRecord, user: string): SshTarget {
  const { id, public_ssh_host: host, public_ssh_port: port, ssh_host_fingerprint: fingerprint } = node
  if (host === null)
    throw fail('node.unreachable', {
      message: 'The Node has no public SSH host.',
      details: { node: identityOf(node) },
    })
  if (fingerprint === null) throw fail('node.ssh_host_key_missing', { details: { node: identityOf(node) } })
  return { nodeId: id, host, port: port ?? 22, user, fingerprint }
}

const CODES = {
  unreachable: 'node.unreachable',
  host_key_changed: 'node.ssh_host_key_changed',
  authentication: 'node.authentication_failed',
  connection_lost: 'node.connection_lost',
  timeout: 'command.deadline_exceeded',
  cancelled: 'node.connection_lost',
  output_too_large: 'node.output_too_large',
} as const satisfies Record<SshFailureKind, ErrorCode>

/** Whoever reads why a machine was not reached sees at which address it was tried. */
const MESSAGES: Readonly<Partial<Record<SshFailureKind, (address: string, user: string) => string>>> = {
  unreachable: (address) => `The Node does not answer over SSH at ${address}.`,
  host_key_changed: (address) =>
    `The SSH host key at ${address} is not the pinned one of the Node, so nothing was sent.`,
  authentication: (address, user) =>
    `The Node refused the SSH key of the gateway at ${address} for the user ${user}.`,
  connection_lost: (address) =>
    `The connection to the Node at ${address} ended during a command, so the outcome of the command is unknown.`,
}

function failureOf(
  node: NodeRecord,
  { host, port, user }: SshTarget,
  failure: SshFailure,
  bound: Bound,
): CodedError {
  if (failure.kind === 'timeout') return deadlineExceeded(node, bound, failure)
  // The gateway ends the commands it cannot wait for when it stops; one that never began leaves nothing in doubt.
  const code = failure.kind === 'cancelled' && !failure.sent ? 'http.draining' : CODES[failure.kind]
  const address = `${host}:${port}`
  const message = MESSAGES[failure.kind]?.(address, user)
  const tried = message === undefined ? {} : { addresses: [address] }
  return fail(code, {
    ...(message === undefined ? {} : { message }),
    details: { node: identityOf(node), ...tried, ...(failure.kind === 'authentication' ? { user } : {}) },
    cause: failure,
  })
}

const deadlineExceeded = (node: NodeRecord, outcome: Bound, cause?: SshFailure): CodedError =>
  fail('command.deadline_exceeded', {
    ...(outcome === 'timeout'
      ? { message: 'A command on the Node did not finish within its time limit.' }
      : {}),
    details: { node: identityOf(node), outcome },
    cause,
  })
