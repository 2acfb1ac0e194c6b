import { createHash } from 'node:crypto'

const REDACTED = '[REDACTED]'
/** A shorter password would blank out half of every result, and a search finds it in a second anyway. */
const MIN_LENGTH = 1

/** Replaces what gives a password away. */
export interface Redact {
  text(text: string): string
  /** The number, or the text that is left of its digits. */
  number(value: number): number | string
}

/**
 * Replaces a password in texts, as it is and in every form that an engine prints of a text without work for the one who
 * asks: hexadecimal, base64 (at each of its three alignments, with the signs that it shares with its neighbours), percent,
 * JSON and SQL escapes, reversed, upper and lower case, and the digests that stand for it. DB-057.
 */
export function makeRedact(password: string | undefined, username = ''): Redact {
  if (password === undefined || password.length < MIN_LENGTH)
    return { text: (text) => text, number: (value) => value }
  const shown = [...forms(password), ...digests(password, username)]
  const plain = shown.toSorted((a, b) => b.length - a.length).map(escaped)
  const base64 = base64Parts(Buffer.from(password))
  // A short password is replaced only as it is: its encoded forms are too short to be distinguished from chance.
  const isShort = password.length < 4
  // The longest first: a form that contains another one is replaced as a whole.
  const patterns = isShort ? [escaped(password)] : [...base64.map(({ pattern }) => pattern), ...plain]
  const found = new RegExp(patterns.join('|'), 'gi')
  const text = (given: string): string => given.replace(found, REDACTED)
  // Most results are numbers, and most passwords have no form that could be part of one.
  const isInNumbers = [...shown, ...base64.map(({ part }) => part)].some((form) => NUMERIC.test(form))
  const number = (value: number): number | string => {
    const printed = String(value)
    const left = text(printed)
    return left === printed ? value : left
  }
  return { text, number: isInNumbers ? number : (value) => value }
}

/** The signs that JavaScript prints a number with; a form with another sign is part of none. */
const NUMERIC = /^[\d.e+-]+$/i

function forms(password: string): readonly string[] {
  const bytes = Buffer.from(password)
  const wide = Buffer.from(password, 'utf16le')
  const json = JSON.stringify(password).slice(1, -1)
  const all = [
    password,
    Array.from(password).toReversed().join(''),
    bytes.toString('hex'),
    bytes.toString('hex').replace(/..(?=.)/g, '$& '),
    wide.toString('hex'),
    Buffer.from(wide).swap16().toString('hex'),
    encodeURIComponent(password),
    [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    json,
    json.replaceAll('/', String.raw`\/`),
    Array.from(password, (sign) => String.raw`\u` + sign.charCodeAt(0).toString(16).padStart(4, '0')).join(
      '',
    ),
    password.replaceAll("'", "''"),
    password.replaceAll('"', '""'),
    password.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`),
    password
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;'),
    [...bytes]
      .map((byte) =>
        byte < 32 || byte > 126
          ? `\\${byte.toString(8).padStart(3, '0')}`
          : byte === 92
            ? '\\\\'
            : String.fromCharCode(byte),
      )
      .join(''),
    [...bytes].map(String).join(','),
    [...bytes].map(String).join(', '),
    [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join(''),
  ]
  return [...new Set(all)].filter((form) => form.length >= MIN_LENGTH)
}

/**
 * Base64 of the password behind 0, 1 or 2 other bytes, as patterns. A sign at either end has bits of the neighbour and of
 * the password, so it goes too; the engines break lines after 76 signs.
 */
function base64Parts(bytes: Buffer): readonly Base64Part[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const isShared = (before + bytes.length) % 3 !== 0
    const part = text.slice(before === 0 ? 0 : before + 1, isShared ? -1 : undefined)
    if (part.length < 4) return []
    const first = before === 0 ? '' : `${BASE64_SIGN}?${BREAK}`
    const last = isShared ? `(?:${BREAK}${BASE64_SIGN})?(?:${BREAK}=){0,2}` : ''
    return [{ part, pattern: `${first}${Array.from(part, base64Sign).join(BREAK)}${last}` }]
  })
}

interface Base64Part {
  /** The signs of the password alone. */
  readonly part: string
  readonly pattern: string
}

const BREAK = String.raw`(?:\r?\n)?`
const BASE64_SIGN = '[A-Za-z0-9+/_-]'
/** Both alphabets (RFC 4648, 4 and 5). */
const base64Sign = (sign: string): string =>
  sign === '+' || sign === '-' ? '[+-]' : sign === '/' || sign === '_' ? '[/_]' : sign

/** What a server stores in the place of the password and takes as proof of it, and digests that one call prints. */
function digests(password: string, username: string): readonly string[] {
  const hex = (name: string, ...texts: readonly (string | Buffer)[]): string =>
    texts.reduce((hash, text) => hash.update(text), createHash(name)).digest('hex')
  const sha1 = createHash('sha1').update(password).digest()
  return [
    hex('md5', password),
    // PostgreSQL stores this behind `md5`, MySQL the other behind `*`: whoever has them can log in.
    hex('md5', password, username),
    hex('sha1', sha1),
    ...['sha1', 'sha224', 'sha256', 'sha384', 'sha512'].map((name) => hex(name, password)),
  ]
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
