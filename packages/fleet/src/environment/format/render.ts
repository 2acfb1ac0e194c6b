/**
 * Which readers come first where they cannot all agree. phpdotenv reads line breaks inside double quotes only; every other
 * reader takes them inside single quotes too, where nothing needs an escape. The measured table: docs/decisions/0010.
 */
export type Reader = 'phpdotenv' | 'general'

/**
 * The text of a `.env` file: sorted keys, each value quoted (ENV-044, INS-131). Reading it back gives the same values.
 * Keys must be valid; values must be valid UTF-8 without NUL.
 */
export function renderFile(values: ReadonlyMap<string, string>, reader: Reader): string {
  const sorted = [...values].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([key, value]) => `${key}=${quoteValue(value, reader)}\n`).join('')
}

/**
 * Double quotes around what no reader changes there; single quotes around what some reader would change inside double quotes;
 * double quotes with escapes for what single quotes cannot hold.
 */
export function quoteValue(value: string, reader: Reader): string {
  if (isPlain(value)) return `"${value}"`
  if (fitsSingleQuotes(value, reader)) return `'${value}'`
  return `"${escapeValue(value)}"`
}

// Backslash and quote are escapes to some readers and text to others; `$` and backtick expand or run in some; a raw CR becomes LF.
const isPlain = (value: string): boolean => !/[\\"$`\r]/.test(value)

function fitsSingleQuotes(value: string, reader: Reader): boolean {
  if (/['\r]/.test(value)) return false
  // compose-go takes an unpaired backslash before the closing quote for an escape of that quote, and reads on into the next lines.
  if (/(?<!\\)(?:\\\\)*\\$/.test(value)) return false
  return reader === 'general' || (!value.includes('\n') && !looksOpenToPhpdotenv(value))
}

// phpdotenv looks for `="` on a line before it knows about quotes, and then for a second unescaped double quote to end the entry.
const looksOpenToPhpdotenv = (value: string): boolean => {
  if (!value.includes('="')) return false
  const unpaired = `='${value}'`.replaceAll('\\\\', '')
  return [...unpaired.matchAll(/(?=[^\\]")/g)].length < 2
}

/** A value as it is written between double quotes where single quotes cannot hold it. */
export function escapeValue(value: string): string {
  const escaped = value.replace(/[\\"$]/g, '\\$&').replaceAll('\r', '\\r')
  // A last line of nothing but backslashes hides the closing quote from phpdotenv, so the line breaks are written as escapes.
  return /\n\\+$/.test(value) ? escaped.replaceAll('\n', '\\n') : escaped
}
