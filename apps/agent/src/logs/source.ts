import type { Docker } from '../units/docker-socket.ts'
import type { Line } from './lines.ts'
import type { Clock } from '@fleet/kernel'

/** What an agent may be asked to read (AGT-007). */
export type Source =
  /** Neither the checkout nor a component of the path below it may be a link. */
  | { readonly type: 'laravel'; readonly path: string; readonly checkout: string }
  | { readonly type: 'journal'; readonly unit: string }
  | { readonly type: 'docker'; readonly container: string; readonly process_id: number }

/** There is nothing to read, or it may not be read. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable'
  constructor(cause?: unknown) {
    super('the source of a log cannot be read', { cause })
  }
}

/** Which output a line is of: what a source reads in parallel. */
export type Channel = 'out' | 'error'
export type ChannelLine = Line & { readonly channel?: Channel }

/** Where a source puts what it read. */
export interface Sink {
  /** Once, before anything else: the end of what there was already. */
  first(lines: readonly ChannelLine[]): void
  take(lines: readonly ChannelLine[]): void
  /** Bytes that were passed over unread. */
  skip(bytes: number): void
  /** Bytes that can be taken without a line being dropped. */
  readonly room: number
}

/** Reads until the signal aborts, then resolves. Rejects with SourceUnavailable, or with whatever else ended it. */
export type ReadSource = (sink: Sink, signal: AbortSignal) => Promise<void>

/** Bytes of the first lines together (LOGS-015). */
export const FIRST_MAX_BYTES = 256 * 1024
/** How long what is read side by side waits for its reader. */
export const LOOK_MILLISECONDS = 250

export interface ReaderDeps {
  readonly docker: Docker
  readonly clock: Clock
  /** Whose files no framework's log may be. */
  readonly refusedOwner: number | undefined
}
