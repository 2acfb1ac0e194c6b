// 220 codes from 12 letters are enough to find a meaningful one; beyond them the next set is as good.
const LETTERS_MAX = 12
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

export const isCode = (text: string): boolean => /^[A-Z]{3}$/.test(text)

/** The first code derived from the slug that nobody has; undefined when there is none (PRJ-003, PRJ-053). */
export function freeCode(slug: string, taken: ReadonlySet<string>): string | undefined {
  for (const code of codeCandidates(slug)) if (!taken.has(code)) return code
  return undefined
}

/**
 * Codes for a slug, most meaningful first: initials of its words, letters in their order, then anything behind its
 * first letter. Always the same for the same slug; none for one without letters.
 */
export function* codeCandidates(slug: string): Generator<string> {
  const words = slug
    .toUpperCase()
    .split(/[^A-Z]+/)
    .filter((word) => word !== '')
  const initials = words.map((word) => word.slice(0, 1)).join('')
  if (initials.length >= 3) yield initials.slice(0, 3)
  const letters = words.join('').slice(0, LETTERS_MAX)
  yield* inOrder(letters)
  const first = letters.slice(0, 1)
  if (first === '') return
  for (const second of ALPHABET) for (const third of ALPHABET) yield `${first}${second}${third}`
}

/** Three letters in the order of the word. */
function* inOrder(letters: string): Generator<string> {
  const last = letters.length - 1
  for (let first = 0; first <= last - 2; first += 1)
    for (let second = first + 1; second <= last - 1; second += 1)
      for (let third = second + 1; third <= last; third += 1)
        yield `${letters.charAt(first)}${letters.charAt(second)}${letters.charAt(third)}`
}
