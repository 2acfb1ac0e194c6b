import { DockerFailure } from '../units/docker-socket.ts'
import type { Channel } from './source.ts'

/** One piece of what a container wrote. */
export interface ContainerPart {
  readonly channel: Channel
  /** Docker's time of it. */
  readonly at: string
  readonly bytes: Buffer
}

const HEAD_BYTES = 8
/** Docker cuts at 16 KiB; a piece that claims more is none. */
const PART_MAX_BYTES = 1024 * 1024
const ERROR_STREAM = 2

/**
 * Reads Docker's log stream, each piece of which begins with its time. Without a terminal every piece has a head: kind,
 * three zeros, length. With one there are lines only. Throws DockerFailure.
 */
export async function* containerParts(
  stream: AsyncIterable<Buffer>,
  tty: boolean,
): AsyncGenerator<ContainerPart> {
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of stream) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    for (;;) {
      const piece = tty ? lineOf(held) : framedOf(held)
      if (!piece) break
      held = held.subarray(piece.size)
      yield partOf(piece.bytes, piece.channel)
    }
    if (held.length > PART_MAX_BYTES) throw new DockerFailure()
  }
}

interface Piece {
  readonly channel: Channel
  readonly bytes: Buffer
  /** Bytes with its head. */
  readonly size: number
}

function framedOf(held: Buffer): Piece | undefined {
  if (held.length < HEAD_BYTES) return undefined
  const size = HEAD_BYTES + held.readUInt32BE(4)
  if (held.length < size) return undefined
  return { channel: held[0] === ERROR_STREAM ? 'error' : 'out', bytes: held.subarray(HEAD_BYTES, size), size }
}

function lineOf(held: Buffer): Piece | undefined {
  const size = held.indexOf(0x0a) + 1
  return size === 0 ? undefined : { channel: 'out', bytes: held.subarray(0, size), size }
}

function partOf(bytes: Buffer, channel: 'out' | 'error'): ContainerPart {
  const space = bytes.indexOf(0x20)
  return space === -1
    ? { channel, at: '', bytes }
    : { channel, at: bytes.toString('latin1', 0, space), bytes: bytes.subarray(space + 1) }
}
