/** A requirement that Composer would refuse too. */
export class InvalidConstraint extends Error {}

/** Up to four numbers; -1 before the release of these numbers, 1 after it. */
interface Bound {
  readonly numbers: readonly number[]
  readonly rank: -1 | 0 | 1
}

type Test = (release: readonly number[]) => boolean

/** Whether Composer's rules accept a stable release, such as `8.2.29`. Throws InvalidConstraint. */
export function satisfies(release: string, constraint: string): boolean {
  const numbers = release.split('.').map(Number)
  // Every alternative is parsed: one that is wrong makes the whole wrong.
  return alternativesOf(constraint)
    .map((tests) => tests.every((test) => test(numbers)))
    .some(Boolean)
}

const alternativesOf = (constraint: string): ReadonlyArray<readonly Test[]> =>
  constraint
    .trim()
    .split(/\s*\|\|?\s*/)
    .map((alternative) =>
      alternative
        .replaceAll(/([<>=])\s+/g, '$1')
        .replaceAll(/\s+-\s+/g, HYPHEN)
        .split(/\s*,\s*|\s+/)
        .map(testOf),
    )

/** Stands for the hyphen of a range, which has a space on either side. */
const HYPHEN = '\u2013'
const STABILITY = /@(?:stable|rc|beta|alpha|dev)$/i
const NUMBERS = String.raw`v?(\d+(?:\.\d+){0,3})`
const MODIFIER = String.raw`(?:[._-]?(?:(stable|beta|b|rc|alpha|a|patch|pl|p)[.-]?\d*)?([.-]?dev)?)(?:\+\S+)?`
const VERSION = new RegExp(`^${NUMBERS}${MODIFIER}$`, 'i')
const WILD = /^v?(\d+(?:\.\d+){0,2})(?:\.[x*])+$/i
const ANY = /^v?[x*](?:\.[x*])*$/i
/** Names of development branches: none is a release. */
const BRANCH = /^(?:==?)?(?:dev-\S+|v?\d+(?:\.\d+)*(?:\.[x*])*-dev)$/i

function testOf(text: string): Test {
  // A stability alone accepts every release.
  const plain = text.replace(STABILITY, '') || (text === '' ? '' : '*')
  if (ANY.test(plain)) return () => true
  const [from, to, ...more] = plain.split(HYPHEN)
  if (from !== undefined && to !== undefined && more.length === 0) return betweenOf(from, to)
  const wild = WILD.exec(plain)?.[1]
  if (wild !== undefined) return within(numbersOf(wild), numbersOf(wild).length)
  if (plain.startsWith('^')) return caretOf(plain.slice(1))
  if (plain.startsWith('~')) return tildeOf(plain.slice(1))
  if (BRANCH.test(plain)) return () => false
  return comparisonOf(plain)
}

/** From the numbers up to, and without, the next of those at the position. */
const within = (numbers: readonly number[], position: number): Test => {
  const top = after(numbers, position)
  return (release) => compare(release, { numbers, rank: -1 }) > 0 && compare(release, top) < 0
}

const after = (numbers: readonly number[], position: number): Bound => ({
  numbers: numbers.slice(0, position).map((value, at) => (at === position - 1 ? value + 1 : value)),
  rank: -1,
})

/** Up to the next of the first number that is not 0. */
function caretOf(text: string): Test {
  const bound = boundOf(text)
  const first = bound.numbers.findIndex((value) => value !== 0)
  const position = first === -1 ? bound.numbers.length : first + 1
  return between(bound, after(bound.numbers, Math.min(position, 3)))
}

/** Up to the next of the last number but one. */
function tildeOf(text: string): Test {
  const bound = boundOf(text)
  return between(bound, after(bound.numbers, Math.max(1, bound.numbers.length - 1)))
}

const between =
  (low: Bound, high: Bound): Test =>
  (release) =>
    compare(release, low) >= 0 && compare(release, high) < 0

/** An upper end of fewer than three numbers contains everything that begins with it. */
function betweenOf(from: string, to: string): Test {
  const [low, high] = [boundOf(from), boundOf(to)]
  const { length } = high.numbers
  if (length < 3 && high.rank === 0) return between(low, after(high.numbers, length))
  return (release) => compare(release, low) >= 0 && compare(release, high) <= 0
}

function comparisonOf(text: string): Test {
  const [, operator = '', version = ''] = /^(<>|!=|>=?|<=?|==?)?(.*)$/.exec(text) ?? []
  const bound = boundOf(version)
  switch (operator) {
    case '>':
      return (release) => compare(release, bound) > 0
    case '>=':
      return (release) => compare(release, bound) >= 0
    case '<':
      return (release) => compare(release, bound) < 0
    case '<=':
      return (release) => compare(release, bound) <= 0
    case '!=':
    case '<>':
      return (release) => compare(release, bound) !== 0
    default:
      return (release) => compare(release, bound) === 0
  }
}

function boundOf(text: string): Bound {
  const [, numbers, stability = '', dev] = VERSION.exec(text) ?? []
  if (numbers === undefined) throw new InvalidConstraint(text)
  return { numbers: numbersOf(numbers), rank: dev === undefined ? rankOf(stability) : -1 }
}

const rankOf = (stability: string): Bound['rank'] => {
  if (/^p/i.test(stability)) return 1
  return stability === '' || /^stable$/i.test(stability) ? 0 : -1
}

const numbersOf = (text: string): readonly number[] => text.split('.').map(Number)

/** A release against a bound; equal numbers are decided by the rank. */
function compare(release: readonly number[], { numbers, rank }: Bound): number {
  for (let at = 0; at < 4; at += 1) {
    const distance = (release[at] ?? 0) - (numbers[at] ?? 0)
    if (distance !== 0) return distance
  }
  return -rank
}
