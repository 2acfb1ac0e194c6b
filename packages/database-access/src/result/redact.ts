import { createHash } from 'node:crypto'
import { asOneLine, type Base64Part, base64Parts, base64Pattern } from './base64-parts.ts'

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
  const shown = shownForms(password, username)
  const mayHave = makeGlance(shown)
  let found: RegExp | undefined
  const text = (given: string): string =>
    mayHave(given) ? given.replace((found ??= patternOf(shown)), REDACTED) : given
  // Most results are numbers, and most passwords have no form that could be part of one.
  const isInNumbers = [...shown.plain, ...shown.base64.map(({ part }) => part)].some(
    (form) => form.length <= LONGEST_NUMBER && NUMERIC.test(form),
  )
  const number = (value: number): number | string => {
    const printed = String(value)
    const left = text(printed)
    return left === printed ? value : left
  }
  return { text, number: isInNumbers ? number : (value) => value }
}

/** Everything that gives a password away. */
interface Shown {
  readonly plain: readonly string[]
  readonly base64: readonly Base64Part[]
  /** What is replaced without a look at the password. */
  readonly verifiers: readonly Verifier[]
}

function shownForms(password: string, username: string): Shown {
  // A short password is replaced only as it is: its encoded forms are too short to be distinguished from chance.
  if (password.length < 4) return { plain: [password], base64: [], verifiers: [] }
  const stored = storedFor(password, username)
  return {
    plain: [...forms(password), ...digests(password, username), ...stored.flatMap(plainVerifiers)],
    base64: [Buffer.from(password), ...stored.flatMap(bytesOfVerifier)].flatMap(base64Parts),
    verifiers: VERIFIERS,
  }
}

/**
 * Whether a text may have one of the forms, by a search for each: to prepare the pattern takes longer than most reads. In
 * capitals, as the pattern ignores case.
 */
function makeGlance({ plain, base64, verifiers }: Shown): (text: string) => boolean {
  const words = [...plain, ...verifiers.map(({ mark }) => mark)].map((word) => word.toUpperCase())
  const parts = base64.map(({ part }) => asOneLine(part).toUpperCase())
  const shortest = Math.min(...[...words, ...parts].map(({ length }) => length))
  return (text) => {
    // Capitals may be more signs than the text has.
    if (text.length * 3 < shortest) return false
    const capitals = text.toUpperCase()
    if (words.some((word) => capitals.includes(word))) return true
    const line = asOneLine(capitals)
    return parts.some((part) => line.includes(part))
  }
}

function patternOf({ plain, base64, verifiers }: Shown): RegExp {
  // The longest first: a form that contains another one is replaced as a whole.
  const longestFirst = plain.toSorted((a, b) => b.length - a.length).map(escaped)
  const patterns = [...verifiers.map(({ pattern }) => pattern), ...base64.map(base64Pattern), ...longestFirst]
  return new RegExp(patterns.join('|'), 'gi')
}

/** The signs that JavaScript prints a number with; a form with another sign, or a longer one, is part of none. */
const NUMERIC = /^[\d.e+-]+$/i
/** `-1.2345678901234567e-100` has 24. */
const LONGEST_NUMBER = 24

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

const hex = (name: string, ...texts: readonly (string | Buffer)[]): string =>
  texts.reduce((hash, text) => hash.update(text), createHash(name)).digest('hex')

/** Digests that one call prints. */
const digests = (password: string, username: string): readonly string[] => [
  ...storedFor(password, username).map(({ digest }) => digest),
  ...['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'].map((name) => hex(name, password)),
]

interface Stored {
  /** As the server stores it. */
  readonly text: string
  /** The part that is hexadecimal. */
  readonly digest: string
}

/** What a server stores in the place of the password and takes as proof of it: whoever has it can log in. */
function storedFor(password: string, username: string): readonly Stored[] {
  const md5 = hex('md5', password, username)
  const sha1 = hex('sha1', createHash('sha1').update(password).digest())
  return [
    { text: `md5${md5}`, digest: md5 },
    { text: `*${sha1.toUpperCase()}`, digest: sha1 },
  ]
}

/** The same in other forms, and its bytes. */
const plainVerifiers = ({ digest }: Stored): readonly string[] => [
  Array.from(digest).toReversed().join(''),
  ...[digest, digest.toUpperCase()].map((form) => Buffer.from(form).toString('hex')),
  Buffer.from(digest, 'hex').toString('latin1'),
]

const bytesOfVerifier = ({ text, digest }: Stored): readonly Buffer[] => [
  ...[text, digest, digest.toUpperCase()].map((form) => Buffer.from(form)),
  Buffer.from(digest, 'hex'),
]

interface Verifier {
  /** What each of them has. */
  readonly mark: string
  readonly pattern: string
}

/**
 * Verifiers with a salt, of PostgreSQL (SCRAM) and MySQL (`caching_sha2_password`): to see whether one is of this password
 * costs thousands of digests, so every one is replaced.
 */
const VERIFIERS: readonly Verifier[] = [
  {
    mark: 'SCRAM-SHA-256$',
    pattern: String.raw`SCRAM-SHA-256\$\d+:[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+`,
  },
  // Its salt is any signs, which SHOW CREATE USER, QUOTE() and JSON print escaped.
  {
    mark: '$A$',
    pattern: String.raw`\$A\$[0-9A-F]{3}\$(?:(?:\\u[0-9a-f]{4}|\\[^]|[^\\]){20}|[\u0001-\u007f]{20})[./0-9A-Za-z]{43}`,
  },
  // The same in hexadecimal, as with `print_identified_with_as_hex`, and in base64.
  { mark: '244124', pattern: '244124(?:[0-9A-F]{2}){3}24[0-9A-F]{126}' },
  { mark: 'JEEkM', pattern: String.raw`JEEkM[A-Za-z0-9+/]{3}J(?:[A-Za-z0-9+/]\n?){85}` },
]

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
