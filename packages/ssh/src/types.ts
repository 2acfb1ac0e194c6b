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

export interface RunOptions {
  /** Milliseconds until the remote process group is ended and SshFailure `timeout` is thrown. */
  readonly timeoutMilliseconds: number
  readonly signal?: AbortSignal
  /** Bytes of standard output and standard error each; more ends the command with `output_too_large`. */
  readonly maxOutputBytes?: number
}

export interface CommandResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: Buffer
  readonly stderr: Buffer
}

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
}

/** One shared connection per Node, opened when first needed and closed after 60 idle seconds (GW-047). */
export interface SshPool extends AsyncDisposable {
  run(target: SshTarget, command: Command, options: RunOptions): Promise<CommandResult>
  /** Opens a connection of its own, runs nothing and closes it: is the Node reachable with its pinned key? */
  probe(target: SshTarget, timeoutMilliseconds: number): Promise<void>
  /** Ends the Node's connection, as after a change of address or key. */
  forget(nodeId: number): void
}
