/** Document B, Limits: ENV-077 to ENV-081. */
export const ENVIRONMENT_LIMITS = {
  keyCharacters: 255,
  valueBytes: 65_536,
  keys: 1024,
  fileBytes: 1024 * 1024,
} as const

/** Names of the rules a key, value or file can break, as `details.rule` shows them. */
export type FormatRule =
  | 'file_size'
  | 'file_encoding'
  | 'key_name'
  | 'key_count'
  | 'key_duplicate'
  | 'value_encoding'
  | 'value_nul'
  | 'value_size'
  | 'line_syntax'
  | 'quote_open'
  | 'quote_unsupported'
  | 'hash_unquoted'
  | 'text_after_quote'
  | 'escape_unknown'
  | 'expansion_unresolved'
  | 'expansion_unsupported'
  | 'command_substitution'

const KEY = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/
const bytes = new TextEncoder()

/** The rule that a key breaks (ENV-077). */
export const keyProblem = (key: string): FormatRule | undefined => (KEY.test(key) ? undefined : 'key_name')

/** The rule that a value breaks (ENV-078). A lone surrogate has no UTF-8 form. */
export function valueProblem(value: string): FormatRule | undefined {
  if (!value.isWellFormed()) return 'value_encoding'
  if (value.includes('\0')) return 'value_nul'
  return byteLength(value) > ENVIRONMENT_LIMITS.valueBytes ? 'value_size' : undefined
}

export const byteLength = (text: string): number => bytes.encode(text).length
