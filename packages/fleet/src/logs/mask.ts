import { maskText } from '@fleet/kernel'
import { withinQuotes } from '@fleet/shell'
import { DOMAIN_PLACEHOLDER, ENVIRONMENT_PLACEHOLDER, escapeValue } from '#/environment/api.ts'
import { escapeUnitValue } from '#/processes/api.ts'
import { SETTING_KEYS } from '#/logs/setting-keys.ts'

/** Shorter ones would take ordinary words out of every line (LOGS-024). */
const LEAST_CHARACTERS = 8
const REDACTED = '[REDACTED]'
/** Mark of a line that the agent, or this side, has cut (LOGS-016). */
export const TRUNCATED = '[truncated]'
/** What the gateway itself puts in the place of a placeholder, and the scheme before it, is no secret (decision 0283). */
const OPEN = new RegExp(
  `^[a-z][a-z0-9+.-]*://|${RegExp.escape(DOMAIN_PLACEHOLDER)}|${RegExp.escape(ENVIRONMENT_PLACEHOLDER)}`,
  'gi',
)

/** Takes stored values out of lines. */
export type Mask = (lines: readonly string[]) => readonly string[]

export const noMask: Mask = (lines) => lines

/** Masks what has the shape of a credential, whoever stored it (GW-025). The mark of a cut stays. */
export const maskShapes: Mask = (lines) =>
  lines.map((line) =>
    line.endsWith(TRUNCATED) ? `${maskText(line.slice(0, -TRUNCATED.length))}${TRUNCATED}` : maskText(line),
  )

/**
 * Masks every stored value of 8 or more characters but those of `SETTING_KEYS` (LOGS-024): literally, as JSON and URLs
 * encode it, as Fleet quotes it in `.env` files, units and commands, each line of a multi-line one, the password in one that is
 * a URL, and what a cut has left of one at the end of a line.
 */
export function makeMask(values: Iterable<readonly [key: string, value: string]>): Mask {
  const secrets = [...values].flatMap(([key, value]) =>
    SETTING_KEYS.has(key)
      ? []
      : value.split(/\r\n|\r|\n/).flatMap((line) => [line.trim(), ...passwordIn(line.trim())]),
  )
  const [whole, patterned] = [new Set<string>(), new Set<string>()]
  for (const secret of secrets.filter((text) => ownLength(text) >= LEAST_CHARACTERS))
    for (const form of writtenOf(secret).flatMap(formsOf))
      (form.includes(DOMAIN_PLACEHOLDER) ? patterned : whole).add(form)
  // The longest first, so that of two values one of which begins the other nothing is left over.
  const texts = [...whole].toSorted((a, b) => b.length - a.length)
  const patterns = [...patterned].map(patternOf)
  if (texts.length === 0 && patterns.length === 0) return noMask
  return (lines) => {
    // No value has a line ending, so lines are masked together.
    let joined = lines.join('\n')
    for (const pattern of patterns) joined = joined.replace(pattern, REDACTED)
    for (const text of texts) if (joined.includes(text)) joined = joined.replaceAll(text, REDACTED)
    return lines.length === 0 ? lines : joined.split('\n').map((line) => maskCut(line, texts))
  }
}

const LOGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#:@]*:([^\s/?#]+)@/i

/** The password in a URL, as it is there and as whoever logs in with it has it; none in what is no URL. */
function passwordIn(line: string): readonly string[] {
  const [, password] = LOGIN.exec(line) ?? []
  if (password === undefined) return []
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}

/** What the file has for a stored line; only a domain is not known before synchronization. */
const writtenOf = (line: string): readonly string[] =>
  line.includes(ENVIRONMENT_PLACEHOLDER)
    ? ['development', 'production'].map((name) => line.replaceAll(ENVIRONMENT_PLACEHOLDER, name))
    : [line]

/** Characters of a line without what is open in one with placeholders. */
const ownLength = (line: string): number =>
  (line.includes(DOMAIN_PLACEHOLDER) || line.includes(ENVIRONMENT_PLACEHOLDER)
    ? line.replaceAll(OPEN, '')
    : line
  ).length

function formsOf(secret: string): readonly string[] {
  const inParts = (encode: (part: string) => string): string =>
    secret.split(DOMAIN_PLACEHOLDER).map(encode).join(DOMAIN_PLACEHOLDER)
  const asJson = (part: string): string => JSON.stringify(part).slice(1, -1)
  const encodings = [
    asJson,
    // PHP escapes slashes in JSON.
    (part: string) => asJson(part).replaceAll('/', '\\/'),
    escapeValue,
    escapeUnitValue,
    withinQuotes,
  ]
  const forms = [secret, ...encodings.map(inParts)]
  return secret.isWellFormed() ? [...forms, inParts(encodeURIComponent)] : forms
}

const patternOf = (form: string): RegExp =>
  new RegExp(
    form
      .split(DOMAIN_PLACEHOLDER)
      .map((part) => RegExp.escape(part))
      .join('[\\w.:-]+'),
    'g',
  )

/** The text before the mark of a cut may be the beginning of a value. */
function maskCut(line: string, texts: readonly string[]): string {
  if (!line.endsWith(TRUNCATED)) return line
  const body = line.slice(0, -TRUNCATED.length)
  const cut = Math.max(0, ...texts.map((text) => longestBeginning(body, text)))
  return cut === 0 ? line : `${body.slice(0, body.length - cut)}${REDACTED}${TRUNCATED}`
}

/** Characters of the longest beginning of the text with which the body ends; 0 for fewer than count as a secret. */
function longestBeginning(body: string, text: string): number {
  for (let length = Math.min(text.length - 1, body.length); length >= LEAST_CHARACTERS; length -= 1)
    if (body.endsWith(text.slice(0, length))) return length
  return 0
}
