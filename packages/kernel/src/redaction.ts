export const REDACTED = '[REDACTED]'
const SECRET_NAME = /(?:^|[._-])?(?:key|token|secret|password|passwd|passphrase|credential|bearer|pem)$/i
const EXEMPT = new Set(['public_key', 'wireguard_public_key', 'host_key_fingerprint'])
const ENVIRONMENT_NAME = /^(?:environment|env)$/i
type Masking = (whole: string, ...parts: string[]) => string
const TEXT_SECRETS: ReadonlyArray<readonly [RegExp, string | Masking]> = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  [/(authorization\s*[:=]\s*)?\b(bearer|basic)(\s+)([\w~+/.=-]{6,})/gi, maskScheme],
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@]*):[^\s/]+@/gi, `$1:${REDACTED}@`],
  [
    // The name of an operation assigns nothing: `project:deploy-key:show`; nor does that of a file: `open leaf.pem: no such file`;
    // nor that of a variable of which a shell says that it has no value. A quote may be escaped in a value, unless it begins
    // the next one, and not too often: each time takes some of the stack.
    /\b(?!(?:public )?\w*: (?:unbound variable|parameter (?:null or )?not set(?: or null)?)\r?$)(?!(?<=:deploy-)key:(?:create|destroy|show)\b)(?!(?<=\w\.)pem: (?:no such|permission|is a|not a) )((?:public )?\w*(?:key|token|secret|password|passwd|passphrase|credential|pem))((?:\\*["'])?\s*[=:]\s*)("[^"\\]*(?:\\[^][^"\\]*){0,4096}(?<![=:] ?)"|"[^"]*"|'[^'\\]*(?:\\[^][^'\\]*){0,4096}(?<![=:] ?)'(?:\\''[^']*'){0,4096}|'[^']*'|\\+"[^"]*"|[^\s,;&]+)/gim,
    maskAssignment,
  ],
  [
    /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abpr]-[\w-]{10,}|AKIA[0-9A-Z]{16})\b/g,
    REDACTED,
  ],
]

/** Masks credential-shaped parts of a text (GW-025). */
export const maskText = (text: string): string =>
  TEXT_SECRETS.reduce(
    // Both forms of a replacement are one for the method, but not for its types.
    (masked, [pattern, by]) =>
      typeof by === 'string' ? masked.replace(pattern, by) : masked.replace(pattern, by),
    text,
  )

/** Of a sentence rather than of a credential. */
const WORD = /^[a-z]+[.]?$/

/** "As a bearer value" is a sentence; a header is none. */
function maskScheme(whole: string, header = '', scheme: string, gap: string, value: string): string {
  return header === '' && WORD.test(value) ? whole : `${header}${scheme}${gap}${REDACTED}`
}

const FINGERPRINT = /^["']?SHA256:[A-Za-z0-9+/]{43}=?["']?[.]?$/

/** A fingerprint and a public key are no secrets, and "the host key: nothing is pinned" is a sentence. */
function maskAssignment(whole: string, name: string, sign: string, value: string): string {
  const isOpen = FINGERPRINT.test(value) || /public[ _]?key$/i.test(name)
  const isSentence = name === 'key' && sign === ': ' && WORD.test(value)
  return isOpen || isSentence ? whole : `${name}${sign}${REDACTED}`
}

const lastSegment = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .split(/[._\s-]/)
    .at(-1) ?? name

/**
 * Metadata as it may be stored and shown (ACT-013, ACT-014): secret-named texts become `[REDACTED]`,
 * environment maps keep their names only, secrets inside other texts are masked; numbers, booleans and null stay.
 */
export function redact(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    if (EXEMPT.has(name)) return value
    return SECRET_NAME.test(lastSegment(name)) ? REDACTED : maskText(value)
  }
  if (Array.isArray(value)) return value.map((item) => redact(item, name))
  if (typeof value !== 'object' || value === null) return value
  if (ENVIRONMENT_NAME.test(name)) return Object.keys(value)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redact(inner, key)]))
}
