import type { Chance } from './chance.ts'
import { frame, PREFACE } from './http2-frames.ts'

/** Types of RFC 9113, section 6, and two that are none. */
const TYPES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 255] as const
/** Header blocks: of the static table, cut off, a size update beyond the bound, a number without end. */
const BLOCKS = ['828684', '8286', '3fe1ffffff0f', 'ffffffffffffffff', '', '82868441036c6f63'] as const

const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

/** Frames of a connection in any order, each right, nearly right or nonsense. */
export function http2Storm(chance: Chance, frames: number): Buffer {
  const settings = frame(4, 0, 0, Buffer.alloc(0))
  return Buffer.concat([
    PREFACE,
    ...(chance.isOneIn(8) ? [] : [settings]),
    ...Array.from({ length: frames }, () => anyFrame(chance)),
  ])
}

function anyFrame(chance: Chance): Buffer {
  const type = chance.pick(TYPES)
  const stream = chance.isOneIn(4) ? 0 : chance.below(40)
  return frame(type, chance.isOneIn(3) ? chance.below(256) : 4, stream, payloadOf(type, chance))
}

function payloadOf(type: number, chance: Chance): Buffer {
  if (chance.isOneIn(6)) return chance.bytes(60)
  const number = chance.pick([0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, chance.below(70_000)])
  switch (type) {
    case 1:
    case 9:
      return Buffer.from(chance.pick(BLOCKS), 'hex')
    case 4:
      return Buffer.concat([Buffer.of(0, chance.below(9)), word(number)])
    case 6:
      return Buffer.alloc(8)
    case 3:
    case 8:
      return word(number)
    case 7:
      return Buffer.concat([word(number), word(chance.below(14))])
    default:
      return chance.bytes(30)
  }
}

/** Streams that are begun and given up at once (RFC 9113, 10.5). */
export const rapidResets = (streams: number): Buffer =>
  Buffer.concat([
    PREFACE,
    frame(4, 0, 0, Buffer.alloc(0)),
    ...Array.from({ length: streams }, (_, index) => [
      frame(1, 5, index * 2 + 1, Buffer.from('828684', 'hex')),
      frame(3, 0, index * 2 + 1, word(8)),
    ]).flat(),
  ])

/** One header block that never ends. */
export const endlessHeaders = (frames: number): Buffer =>
  Buffer.concat([
    PREFACE,
    frame(4, 0, 0, Buffer.alloc(0)),
    frame(1, 0, 1, Buffer.from('828684', 'hex')),
    ...Array.from({ length: frames }, () =>
      frame(9, 0, 1, Buffer.concat([Buffer.of(0, 1, 0x61, 127, 0x81, 0x7e), Buffer.alloc(16_256, 0x62)])),
    ),
  ])
