/** LOGS-016 */
const LINE_MAX_BYTES = 8192
const MARK = '[truncated]'
/** Bytes of its JSON: control characters grow sixfold in it, and a message has 10,000 (LOGS-019). */
const JSON_MAX_BYTES = 9400

/** At most 8 KiB, then a mark; less where its JSON would not fit into one message. */
export function cutLine(text: string, wasCut = false): string {
  const bytes = Buffer.byteLength(text)
  if (bytes <= LINE_MAX_BYTES && jsonBytes(text) <= JSON_MAX_BYTES) return wasCut ? `${text}${MARK}` : text
  let kept = prefix(text, LINE_MAX_BYTES)
  // Three quarters at a time: at most nine steps even where every character grows sixfold.
  while (jsonBytes(kept) > JSON_MAX_BYTES) kept = prefix(kept, Math.floor(Buffer.byteLength(kept) * 0.75))
  return `${kept}${MARK}`
}

export const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text))

/** As many whole characters as fit into so many bytes. */
function prefix(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  let end = Math.min(maxBytes, bytes.length)
  // Continuation bytes of UTF-8 begin with 10.
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.subarray(0, end).toString('utf8')
}
