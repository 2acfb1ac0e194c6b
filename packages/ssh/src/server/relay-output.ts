import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { ServerChannel } from 'ssh2'

export interface Relay {
  /** Resolves when both outputs have ended and were handed over, or after `stop`. */
  readonly done: Promise<void>
  isDone(): boolean
  /** Gives up: the client is gone. */
  stop(): void
}

/** Sends both outputs of a command over its channel, no faster than the client reads. */
export function relayOutput(child: ChildProcessWithoutNullStreams, channel: ServerChannel): Relay {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
  let last = Promise.resolve()
  // One write at a time over both outputs: they share one window, and ssh2 resumes only one of two that wait for it.
  const inTurn = (to: Writable, chunk: Buffer): Promise<void> => {
    last = last.then(() => Promise.race([write(channel, to, chunk), stopped]))
    return last
  }
  const pump = async (from: Readable, to: Writable): Promise<void> => {
    for await (const chunk of from) await inTurn(to, chunk as Buffer) // No encoding is set, so chunks are buffers.
  }
  let isDone = false
  const pumps = Promise.allSettled([pump(child.stdout, channel), pump(child.stderr, channel.stderr)])
  const done = pumps.then(() => {
    isDone = true
  })
  return {
    done,
    isDone: () => isDone,
    stop: () => {
      stop()
      child.stdout.destroy()
      child.stderr.destroy()
    },
  }
}

const write = (channel: ServerChannel, to: Writable, chunk: Buffer): Promise<void> =>
  new Promise((resolve) => {
    to.write(chunk, () => {
      forgetSent(channel)
      resolve()
    })
  })

/**
 * ssh2 1.17 keeps the last chunk that had to wait for the window and sends it again when the other output waits next.
 * Nothing waits when this is called, so both places may be emptied.
 */
const forgetSent = (channel: ServerChannel): void => {
  Object.assign(channel, {
    _chunk: undefined,
    _chunkcb: undefined,
    _chunkErr: undefined,
    _chunkcbErr: undefined,
  })
}
