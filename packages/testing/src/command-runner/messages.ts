import type { Command } from '@fleet/shell'
import type { CommandResult, LocalOptions, SshFailureKind } from '@fleet/ssh'

/** A command whose Secret, which does not cross a channel, is its text. */
export interface Sent extends Omit<Command, 'stdin'> {
  readonly secret: string | undefined
}

/** What of the options is no function, no stream and no signal. */
export type SentOptions = Pick<LocalOptions, 'cwd' | 'env' | 'timeoutMilliseconds' | 'maxOutputBytes'>

export type Request =
  | {
      readonly kind: 'run'
      readonly id: number
      readonly command: Sent
      readonly options: SentOptions
      /** Output is sent as it arrives. */
      readonly isObserved: boolean
    }
  | { readonly kind: 'cancel'; readonly id: number }

export type Reply = { readonly id: number } & (
  | { readonly kind: 'output'; readonly stream: 'stdout' | 'stderr'; readonly chunk: Uint8Array }
  | { readonly kind: 'ended'; readonly result: CommandResult }
  | { readonly kind: 'failed'; readonly failure: SshFailureKind; readonly sent: boolean }
  | { readonly kind: 'broken'; readonly error: Error }
)
