/** What of some bytes stays the same in base64 wherever they are in a text. */
export interface Base64Part {
  /** The signs of the bytes alone. */
  readonly part: string
  /** Whether the sign before and the sign behind have bits of theirs too. */
  readonly isSharedBefore: boolean
  readonly isSharedBehind: boolean
}

/**
 * Base64 of the bytes behind 0, 1 or 2 other ones. A sign at either end has bits of the neighbor and of the bytes, so it
 * goes too.
 */
export function base64Parts(bytes: Buffer): readonly Base64Part[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const isSharedBehind = (before + bytes.length) % 3 !== 0
    const part = text.slice(before === 0 ? 0 : before + 1, isSharedBehind ? -1 : undefined)
    return part.length < 4 ? [] : [{ part, isSharedBefore: before > 0, isSharedBehind }]
  })
}

/** Finds a part with the signs that it shares; the engines break lines after 76 signs. */
export function base64Pattern({ part, isSharedBefore, isSharedBehind }: Base64Part): string {
  const first = isSharedBefore ? `${BASE64_SIGN}?${BREAK}` : ''
  const last = isSharedBehind ? `(?:${BREAK}${BASE64_SIGN})?(?:${BREAK}=){0,2}` : ''
  return `${first}${Array.from(part, base64Sign).join(BREAK)}${last}`
}

/** A text in which a part is found as it is. */
export const asOneLine = (text: string): string =>
  text
    .replaceAll(/[\r\n]/g, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')

const BREAK = String.raw`(?:\r?\n)?`
const BASE64_SIGN = '[A-Za-z0-9+/_-]'
/** Both alphabets (RFC 4648, 4 and 5). */
const base64Sign = (sign: string): string =>
  sign === '+' || sign === '-' ? '[+-]' : sign === '/' || sign === '_' ? '[/_]' : sign
