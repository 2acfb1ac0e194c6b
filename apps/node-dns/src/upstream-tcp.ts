import { connect } from 'node:net'
import { guarded } from '@fleet/kernel'
import type { Endpoint } from './endpoint.ts'
import { frame, FrameReader } from './frames.ts'
import { answers, type Query } from './message.ts'

const PATIENCE_MILLISECONDS = 5000

/**
 * Asks over a connection of its own: whoever came over TCP wants the whole answer. Undefined when none came in time.
 * The connection ends with the answer, or with the patience, also when the signal aborts.
 */
export const askOverTcp = (
  { address, port }: Endpoint,
  query: Query,
  signal: AbortSignal,
): Promise<Buffer | undefined> =>
  new Promise((settle) => {
    const reader = new FrameReader()
    const socket = connect({ host: address, port, signal })
    socket.setTimeout(PATIENCE_MILLISECONDS, () => socket.destroy())
    socket.on('connect', () => socket.write(frame(query.message)))
    const read = (chunk: Buffer): void => {
      const answer = reader.push(chunk).find((message) => answers(message, query.id, query))
      if (!answer) return
      settle(answer)
      socket.destroy()
    }
    socket.on(
      'data',
      guarded(read, () => void socket.destroy()),
    )
    socket.on('error', () => socket.destroy())
    socket.on('close', () => settle(undefined))
  })
