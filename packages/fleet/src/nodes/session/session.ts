import type { Readable, Writable } from 'node:stream'
import { asUser, type Command } from '@fleet/shell'
import type { CommandResult, OutputListener } from '@fleet/ssh'
import { type Call, withDeadline } from '#/call.ts'
import { inControlGroup } from '#/nodes/session/control-group.ts'
import { identityOf } from '#/nodes/present.ts'
import type { NodeRecord } from '#/nodes/record.ts'
import { type AskOptions, commandOf, type NodeScript, readAnswer } from '#/nodes/session/script.ts'

/**
 * One Node for one request: over which address and as whom it logs in is decided once, by who made the session.
 * Connection trouble throws `node.unreachable`, `node.connection_lost`, `node.ssh_host_key_changed`,
 * `node.ssh_host_key_missing`, `node.authentication_failed`, `node.output_too_large` or `command.deadline_exceeded`, each
 * with `details.node` and the SshFailure as its cause; `command.deadline_exceeded` has `details.outcome`: `deadline` when the
 * request's time ran out, `timeout` when the command's own did. Every command first proves that the locks of its call are
 * still held, and throws what the table of locks names otherwise, with `details.node` (GW-045).
 */
export interface NodeSession {
  readonly call: Call
  readonly node: NodeRecord
  /** Runs a script and reads its answer: one round trip. Throws the codes of its reasons. */
  ask<I, A>(script: NodeScript<I, A>, input: I, options?: AskOptions): Promise<A>
  /** As the user that logged in. A command that ran and failed is a result. */
  run(command: Command, options?: NodeRunOptions): Promise<CommandResult>
  /** As root: by sudo without a prompt when somebody else logged in. */
  asRoot(command: Command, options?: NodeRunOptions): Promise<CommandResult>
  /** The same session whose `run` and `login` scripts act as another user, by sudo where that is not the login. */
  as(user: string): NodeSession
  /** The same session with another share of the request's time kept for clean-up. */
  reserving(seconds: number): NodeSession
}

/** What a session is made of. */
export interface SessionBase {
  readonly call: Call
  readonly node: NodeRecord
  /** Who logs in. */
  readonly login: string
  send(call: Call, command: Command, options?: NodeRunOptions): Promise<CommandResult>
}

interface Bound {
  readonly call: Call
  readonly user: string
}

export const makeSession = (base: SessionBase): NodeSession =>
  bound(base, { call: base.call, user: base.login })

function bound(base: SessionBase, binding: Bound): NodeSession {
  const { call, user } = binding
  const { node } = base
  const runAs = async (
    other: string,
    command: Command,
    options: NodeRunOptions = {},
  ): Promise<CommandResult> => {
    call.locks.requireHeld({ node: identityOf(node) })
    const own = other === base.login ? command : asUser(other, command)
    const { controlGroup, ...limits } = options
    return base.send(call, controlGroup === undefined ? own : inControlGroup(controlGroup, own), limits)
  }
  return {
    call,
    node,
    run: (command, options) => runAs(user, command, options),
    asRoot: (command, options) => runAs('root', command, options),
    ask: async (script, input, options) => {
      const { as = 'root' } = script
      const command = commandOf(script, input)
      const result = await runAs(as === 'root' ? as : user, command, limitsOf(script, options))
      return readAnswer(node, script, input, result, options)
    },
    as: (other) => bound(base, { ...binding, user: other }),
    reserving: (seconds) =>
      bound(base, { ...binding, call: withDeadline(call, call.deadline.reserving(seconds)) }),
  }
}

/** Leaves the exit status of a command that failed in the Activity (ACT-015), where no error carries it there. */
export const noteExit = (
  { call }: Pick<NodeSession, 'call'>,
  { exitCode }: Pick<CommandResult, 'exitCode'>,
): void => {
  if (exitCode !== null && exitCode !== 0) call.note.exitCode(exitCode)
}

const limitsOf = (
  { timeoutSeconds: own, maxOutputBytes, isLong }: NodeScript<never, unknown>,
  { timeoutSeconds = own, cleanup, stdinFrom, signal }: AskOptions = {},
): NodeRunOptions => ({
  ...(stdinFrom === undefined ? {} : { stdinFrom }),
  ...(signal === undefined ? {} : { signal }),
  ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  ...(maxOutputBytes === undefined ? {} : { maxOutputBytes }),
  ...(cleanup === undefined ? {} : { cleanup }),
  ...(isLong === undefined ? {} : { isLong }),
})

export interface NodeRunOptions {
  /** Seconds; cut to what the call's deadline leaves for forward work. 900 when absent (GW-035). */
  readonly timeoutSeconds?: number
  /** Clean-up may use the whole rest of the deadline, not only the forward part. */
  readonly cleanup?: boolean
  readonly maxOutputBytes?: number
  /** Gets what the command prints as it arrives; the result has nothing of it then. */
  readonly onOutput?: OutputListener
  /** Gets the standard output at its own pace, and the end of it. */
  readonly stdoutTo?: Writable
  /** Follows the standard input of the command. */
  readonly stdinFrom?: Readable
  /** Ends the command, beside the signal of the call. */
  readonly signal?: AbortSignal
  /** Leaves some channels of the Node to short work. */
  readonly isLong?: boolean
  /** A scope of systemd for the command and everything that it starts; see `inControlGroup`. */
  readonly controlGroup?: string
}
