const REDACTED = '[REDACTED]'
const SECRET_NAME = /(?:^|[._-])?(?:key|token|secret|password|passwd|passphrase|credential|bearer|pem)$/i
const EXEMPT = new Set(['public_key', 'wireguard_public_key', 'host_key_fingerprint'])
const ENVIRONMENT_NAME = /^(?:environment|env)$/i
const TEXT_SECRETS: ReadonlyArray<readonly [RegExp, string]> = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  [/\b(bearer|basic)\s+[\w~+/.=-]{6,}/gi, `$1 ${REDACTED}`],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s/:@]*):[^\s/@]+@/gi, `$1:${REDACTED}@`],
  [
    /\b(\w*(?:key|token|secret|password|passwd|passphrase|credential|pem))(\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&]+)/gi,
    `$1$2${REDACTED}`,
  ],
  [
    /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abpr]-[\w-]{10,}|AKIA[0-9A-Z]{16})\b/g,
    REDACTED,
  ],
]

/** Masks credential-shaped parts of a text (GW-025). */
export const maskText = (text: string): string =>
  TEXT_SECRETS.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text)

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
