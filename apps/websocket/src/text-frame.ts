const FINAL_TEXT = 0x81
const TWO_BYTE_LENGTH = 126
const EIGHT_BYTE_LENGTH = 127

/** A complete text message of a server as sent on the wire (RFC 6455, 5.2): one frame, not masked. */
export function encodeTextFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const head = length < TWO_BYTE_LENGTH ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(head + length)
  frame[0] = FINAL_TEXT
  if (head === 2) frame[1] = length
  else if (head === 4) {
    frame[1] = TWO_BYTE_LENGTH
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = EIGHT_BYTE_LENGTH
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, head)
  return frame
}
