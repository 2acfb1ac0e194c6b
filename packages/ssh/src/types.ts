import type { Duplex, Readable, Writable } from 'node:stream'
import type { Command } from '@fleet/shell'

/** Where a Node's sshd answers and what it must prove. */
export interface SshTarget {
  readonly nodeId: number
  readonly host: string
  readonly port: number
  readonly user: string
  /** `SHA256:` and 43 base64 characters. Compared before the first byte of a command. */
  readonly fingerprint: string
}

/** Takes a piece of what a command prints. It must not throw. */
export type OutputListener = (stream: 'stdout' | 'stderr', chunk: Buffer) => void

export interface RunOptions {
  /** Milliseconds until the remote process group is ended and SshFailure `timeout` is thrown. */
  readonly timeoutMilliseconds: number
  readonly signal?: AbortSignal
  /** Bytes of standard output and standard error each, 1 MiB when absent; more ends the command with `output_too_large`. */
  readonly maxOutputBytes?: number
  /** Gets what the command prints as it arrives; the result has nothing of it then, and no bound applies. */
  readonly onOutput?: OutputListener
  /** Gets the standard output at the pace at which it takes it, and its end; the result has nothing of it then, and no bound applies. */
  readonly stdoutTo?: Writable
  /** Follows the standard input of the command; broken off, it ends the command without an exit code. */
  readonly stdinFrom?: Readable
  /** May take minutes, so it leaves some of the Node's channels to others. */
  readonly isLong?: boolean
}

export interface CommandResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: Buffer
  readonly stderr: Buffer
}

/**
 * `unreachable`: no connection, or the Node took no command. `host_key_changed`: another key than the pinned one, nothing
 * sent. `authentication`: the Node does not know our key. `connection_lost`: it broke; `sent` says whether a command may
 * have begun. `timeout`, `cancelled`, `output_too_large`: ended from here, with its process group where it had begun.
 */
export type SshFailureKind =
  | 'unreachable'
  | 'host_key_changed'
  | 'authentication'
  | 'connection_lost'
  | 'timeout'
  | 'cancelled'
  | 'output_too_large'

/** The connection or the time failed, not the command. A failed command is a CommandResult with its exit code. */
export class SshFailure extends Error {
  override readonly name = 'SshFailure'
  readonly kind: SshFailureKind
  /** True when the command may have begun on the Node, so its outcome is not known. */
  readonly sent: boolean
  constructor(kind: SshFailureKind, sent: boolean, cause?: unknown) {
    super(`ssh: ${kind.replaceAll('_', ' ')}`, { cause })
    this.kind = kind
    this.sent = sent
  }

  /** True when the host answered that nothing listens on the port: the machine is up, its SSH server is not. */
  get isRefused(): boolean {
    const { cause } = this
    return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
  }
}

/** Where a forwarded channel leads, as the Node sees it. */
export type Destination = { readonly host: string; readonly port: number } | { readonly socketPath: string }

export interface ForwardOptions {
  /** Milliseconds until the channel must be open. */
  readonly timeoutMilliseconds: number
  /** Milliseconds after which an open channel is destroyed, whatever passes through it. */
  readonly lifetimeMilliseconds: number
  readonly signal?: AbortSignal
}

/** The Node answered and did not connect to the destination, or does not forward. */
export class ForwardRefused extends Error {
  override readonly name = 'ForwardRefused'
}

/**
 * One shared connection per Node, or per address and login where a Node is reached by several, opened when first needed and
 * closed after 60 idle seconds (GW-047).
 */
export interface SshPool extends AsyncDisposable {
  /** Throws SshFailure; a command that ran and failed is a result. The time limit covers waiting and connecting too. */
  run(target: SshTarget, command: Command, options: RunOptions): Promise<CommandResult>
  /**
   * A byte stream to a destination behind the Node, as a channel of its shared connection. The connection stays open as
   * long as the stream; destroy the stream after use. Throws SshFailure and ForwardRefused.
   */
  forward(target: SshTarget, destination: Destination, options: ForwardOptions): Promise<Duplex>
  /** Opens a connection of its own, runs nothing and closes it: is the Node reachable with its pinned key? */
  probe(target: SshTarget, timeoutMilliseconds: number): Promise<void>
  /**
   * The fingerprint of the host key that answers on an address, `SHA256:` and 43 base64 characters. Nothing is sent and
   * nobody logs in. Throws SshFailure `unreachable`.
   */
  scan(host: string, port: number, timeoutMilliseconds: number): Promise<string>
  /** Ends every connection to the Node, with what runs over them. */
  forget(nodeId: number): void
}
