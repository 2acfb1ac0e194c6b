const LENGTH_BYTES = 2

/** A message as it travels over TCP: its length in two bytes, then itself (RFC 1035, 4.2.2). */
export function frame(message: Buffer): Buffer {
  const framed = Buffer.alloc(LENGTH_BYTES + message.length)
  framed.writeUInt16BE(message.length)
  message.copy(framed, LENGTH_BYTES)
  return framed
}

/** Cuts a stream into messages, however it arrives. It never holds more than one message and a chunk. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0)

  /** The messages that are whole with this chunk. */
  push(chunk: Buffer): readonly Buffer[] {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    const messages: Buffer[] = []
    for (;;) {
      const end = bytes.length < LENGTH_BYTES ? Infinity : LENGTH_BYTES + bytes.readUInt16BE()
      if (bytes.length < end) break
      messages.push(bytes.subarray(LENGTH_BYTES, end))
      bytes = bytes.subarray(end)
    }
    this.#rest = bytes
    return messages
  }
}
