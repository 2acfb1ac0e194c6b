import { redact } from '@fleet/kernel'

/** Bounds of stored metadata (ACT-012). They hold names, ids and counts; more than this is not metadata. */
export const PROPERTY_LIMITS = { textMaxCharacters: 500, totalMaxBytes: 4096 } as const

const CUT = '… [cut]'

/** A redacted and bounded object; what was left out is named in `cut` (ACT-013, ACT-014). */
export function storedProperties(given: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const kept: [string, unknown][] = []
  const cut: string[] = []
  let size = 2
  for (const [name, value] of given) {
    const safe = bounded(redact(value, name))
    const bytes = Buffer.byteLength(JSON.stringify({ [name]: safe }))
    if (size + bytes > PROPERTY_LIMITS.totalMaxBytes) cut.push(name.slice(0, 100))
    else {
      kept.push([name, safe])
      size += bytes
    }
  }
  return { ...Object.fromEntries(kept), ...(cut.length > 0 ? { cut: cut.slice(0, 10) } : {}) }
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return shortened(value)
  if (Array.isArray(value)) return value.map(bounded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, bounded(inner)]))
}

const shortened = (text: string): string =>
  text.length <= PROPERTY_LIMITS.textMaxCharacters
    ? text
    : text.slice(0, PROPERTY_LIMITS.textMaxCharacters) + CUT
