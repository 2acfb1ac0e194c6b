import { once } from 'node:events'
import type { Duplex } from 'node:stream'

/** CLIENT_SSL of the capability flags (protocol, Capabilities Flags). */
const CLIENT_SSL = 0x0800
/** Connection id, first part of the salt and a filler stand between the version and the lower two bytes of the flags. */
const BEFORE_FLAGS = 4 + 8 + 1
const HEADER_BYTES = 4
const MAX_GREETING_BYTES = 1024

/** What a server says of itself. */
export interface Greeting {
  readonly offersTls: boolean
  readonly isMariadb: boolean
}

/**
 * What the server that has just been connected to says. It speaks first; what it said stays in the stream. Nothing of both
 * for a server that says something else, such as that it takes no more connections.
 */
export async function greetingOf(stream: Duplex): Promise<Greeting> {
  const closing = new AbortController()
  const close = (): void => closing.abort()
  stream.once('close', close)
  stream.once('end', close)
  let said: Buffer = Buffer.alloc(0)
  while (isPart(said)) {
    const next = once(stream, 'data', { signal: closing.signal })
    // A stream that was paused stays so for a new listener.
    stream.resume()
    const given: readonly unknown[] = await next
    const [chunk] = given
    stream.pause()
    if (Buffer.isBuffer(chunk)) said = Buffer.concat([said, chunk])
  }
  stream.off('close', close)
  stream.off('end', close)
  stream.unshift(said)
  const versionEnd = said.indexOf(0, HEADER_BYTES + 1)
  const flags = versionEnd + 1 + BEFORE_FLAGS
  if (said[HEADER_BYTES] !== 10 || said.length < flags + 2) return { offersTls: false, isMariadb: false }
  return {
    offersTls: (said.readUInt16LE(flags) & CLIENT_SSL) !== 0,
    isMariadb: /mariadb/i.test(said.toString('latin1', HEADER_BYTES + 1, versionEnd)),
  }
}

const isPart = (said: Buffer): boolean =>
  said.length < HEADER_BYTES ||
  said.length < Math.min(said.readUIntLE(0, 3) + HEADER_BYTES, MAX_GREETING_BYTES)
