const REDACTED = '[REDACTED]'
/** A shorter password would blank out half of every result, and a search finds it in a second anyway. */
const MIN_LENGTH = 1

/**
 * Replaces a password in texts, as it is and in every form that an engine prints of a text without work for the one who
 * asks: hexadecimal, base64 (at each of its three alignments), percent, JSON and SQL escapes, reversed, upper and lower
 * case. DB-057.
 */
export function makeRedact(password: string | undefined): (text: string) => string {
  if (password === undefined || password.length < MIN_LENGTH) return (text) => text
  const found = new RegExp(forms(password).map(escaped).join('|'), 'gi')
  const exact = new RegExp(escaped(password), 'gi')
  // A short password is replaced only as it is: its encoded forms are too short to be told from chance.
  return password.length < 4
    ? (text) => text.replaceAll(exact, REDACTED)
    : (text) => text.replace(found, REDACTED)
}

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
    ...base64Forms(bytes),
    encodeURIComponent(password),
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
  // The longest first: a form that contains another one is replaced as a whole.
  return [...new Set(all)].filter((form) => form.length >= MIN_LENGTH).toSorted((a, b) => b.length - a.length)
}

/** Base64 of the password behind 0, 1 or 2 other bytes, without the signs that depend on its neighbours. */
function base64Forms(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const from = before === 0 ? 0 : before + 1
    const to = (before + bytes.length) % 3 === 0 ? text.length : text.length - 1
    const part = text.slice(from, to)
    return part.length < 4 ? [] : [part, part.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
