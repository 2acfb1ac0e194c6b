import { evaluate } from '#/environment/format/evaluate.ts'
import { byteLength, ENVIRONMENT_LIMITS, valueProblem } from '#/environment/format/limits.ts'
import { type FormatProblem, FormatRefused } from '#/environment/format/refused.ts'
import { type RawEntry, scan } from '#/environment/format/scan.ts'

/**
 * Reads a whole `.env` file into its values, in file order, or throws FormatRefused at the first broken rule: half a file
 * is never taken (ENV-028, ENV-029, ENV-081). A byte-order mark is skipped; CRLF and CR count as line ends, also inside quotes.
 */
export function parseFile(content: Uint8Array | string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  let total = 0
  for (const item of scan(fileText(content))) {
    if (item.kind === 'problem') throw new FormatRefused(problemOf(item))
    if (values.has(item.key)) throw refusedAt(item, 'key_duplicate')
    if (values.size === ENVIRONMENT_LIMITS.keys) throw refusedAt(item, 'key_count')
    const value = evaluate(item, values)
    const rule = valueProblem(value)
    if (rule) throw refusedAt(item, rule)
    // Expansions can multiply: 1,024 keys of 64 KiB would pass every other bound.
    total += value.length
    if (total > ENVIRONMENT_LIMITS.fileBytes) throw refusedAt(item, 'file_size')
    values.set(item.key, value)
  }
  return values
}

/** Text of a file with `\n` line ends. Throws FormatRefused for too many bytes or bytes that are no UTF-8. */
export function fileText(content: Uint8Array | string): string {
  const size = typeof content === 'string' ? byteLength(content) : content.byteLength
  if (size > ENVIRONMENT_LIMITS.fileBytes) throw new FormatRefused({ rule: 'file_size' })
  return (typeof content === 'string' ? content.replace(/^\uFEFF/, '') : decode(content)).replace(
    /\r\n?/g,
    '\n',
  )
}

const NEWLINE = 0x0a

function decode(content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    throw new FormatRefused({ rule: 'file_encoding', line: brokenLine(content) })
  }
}

// A newline byte is never part of a longer UTF-8 sequence, so lines are independent.
function brokenLine(content: Uint8Array): number {
  for (let line = 1, from = 0; ; line += 1) {
    const end = content.indexOf(NEWLINE, from)
    if (end === -1 || !isUtf8(content.subarray(from, end))) return line
    from = end + 1
  }
}

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

const refusedAt = (entry: RawEntry, rule: FormatProblem['rule']): FormatRefused =>
  new FormatRefused({ rule, line: entry.line, key: entry.key })

const problemOf = ({ rule, line, key }: FormatProblem): FormatProblem => ({
  rule,
  ...(line === undefined ? {} : { line }),
  ...(key === undefined ? {} : { key }),
})
