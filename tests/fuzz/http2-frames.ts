import type { Chance } from './chance.ts'
import { fuzzedRequest } from './http-request.ts'

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const [DATA, HEADERS, SETTINGS] = [0, 1, 4]
const [END_STREAM, END_HEADERS] = [1, 4]

export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A length with a prefix of seven bits (RFC 7541, 5.1). */
function lengthOf(bytes: Buffer): Buffer {
  if (bytes.length < 127) return Buffer.from([bytes.length])
  const rest = bytes.length - 127
  return rest < 128 ? Buffer.from([127, rest]) : Buffer.from([127, (rest & 127) | 128, rest >> 7])
}

/** A header that no table remembers, so what a library would refuse to send goes out (RFC 7541, 6.2.2). */
function field(name: string, value: string): Buffer {
  const parts = [name, value].map((text) => Buffer.from(text, 'latin1'))
  return Buffer.concat([Buffer.of(0), ...parts.flatMap((bytes) => [lengthOf(bytes), bytes])])
}

/** A connection of HTTP/2 with so many requests, each on a stream of its own. */
export function http2Bytes(chance: Chance, requests: number): Buffer {
  const streams = Array.from({ length: requests }, (_, index) => streamOf(chance, index * 2 + 1))
  return Buffer.concat([PREFACE, frame(SETTINGS, 0, 0, Buffer.alloc(0)), ...streams.flat()])
}

function streamOf(chance: Chance, stream: number): readonly Buffer[] {
  if (chance.isOneIn(200)) return [frame(chance.below(12), chance.below(256), stream, chance.bytes(40))]
  const { method, target, headers, body } = fuzzedRequest(chance)
  const pseudo = [
    [':method', method],
    [':path', target],
    [':scheme', chance.isOneIn(10) ? chance.latin(8) : 'https'],
    [':authority', chance.isOneIn(4) ? chance.latin(20) : 'gateway.fleet'],
  ] as const
  const kept = chance.isOneIn(30) ? pseudo.slice(1) : pseudo
  // What belongs to HTTP/1.1 alone makes the library reset the stream before anything of ours sees it.
  const ordinary = headers.filter(
    ([name]) => chance.isOneIn(20) || !/^(connection|upgrade|transfer-encoding|host)$/.test(name),
  )
  const block = Buffer.concat([...kept, ...ordinary].map(([name, value]) => field(name.toLowerCase(), value)))
  const hasBody = body !== '' && chance.isOneIn(2)
  return [
    frame(HEADERS, END_HEADERS | (hasBody ? 0 : END_STREAM), stream, block),
    ...(hasBody ? [frame(DATA, END_STREAM, stream, Buffer.from(body, 'latin1'))] : []),
  ]
}
