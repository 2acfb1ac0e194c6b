import { accessTexts } from './groups.ts'
import type { McpTool } from './mcp.ts'

type Searched = Pick<McpTool, 'name' | 'title' | 'description'>

export interface FoundTools<T> {
  /** The best first; in the given order for an empty query. */
  readonly tools: readonly T[]
  /** Whether each of them has all words of the query. */
  readonly matched: 'all' | 'some' | 'none'
}

/** A tool with less than this part of the points of the best one only mentions what is searched for. */
const LEAST_PART = 1 / 4

/**
 * Tools by the words of a query, in their names, titles and descriptions; all tools for an empty one (MCP-011). A name finds its tool
 * alone, in each form in which Fleet writes it: `env-sync`, `env:sync`, `fleet env:sync`. Plurals, beginnings of words and usual other
 * words match too. Where no tool has all words, those that have the most are found.
 */
export function searchTools<T extends Searched>(tools: readonly T[], query: string): FoundTools<T> {
  const words = wordsOf(query)
  if (words.length === 0) return { tools, matched: 'all' }
  const named = words.length === 1 ? tools.filter(({ name }) => stemsOf(name) === words[0]) : []
  if (named.length > 0) return { tools: named, matched: 'all' }
  const ranked = tools
    .map((tool) => ({ tool, ...rank(tool, words) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.points - a.points)
  if (ranked.length === 0) return { tools: [], matched: 'none' }
  const most = Math.max(...ranked.map(({ count }) => count))
  const least = (ranked[0]?.points ?? 0) * LEAST_PART
  // A name says more than a description that happens to have one word more.
  const first = ranked.find(({ count }) => count === most)?.points ?? 0
  const found = ranked.filter(({ count, points }) => points >= least && (count === most || points > first))
  return {
    tools: found.map(({ tool }) => tool),
    matched: found.every(({ count }) => count === words.length) ? 'all' : 'some',
  }
}

/** How many words a tool has, and how much they say about it. */
function rank({ name, title, description }: Searched, words: readonly string[]) {
  // Who may call a tool says nothing about what it does.
  const purpose = Object.values(accessTexts).reduce((text, access) => text.replace(access, ''), description)
  const [inName, inTitle, inPurpose] = [name, title, purpose].map(stemsOf) as [string, string, string] // As many as are mapped.
  const points = words.map((word) =>
    Math.max(
      12 * likeness(inName, word),
      (OTHER_WORDS[word] ?? []).some((other) => inName.includes(`-${other}-`)) ? 9 : 0,
      4 * likeness(inTitle, word),
      likeness(inPurpose, word),
    ),
  )
  // Of two names with the same words, the shorter one is that of the more general tool.
  const sum = points.reduce((total, one) => total + one, 0) - name.split('-').length / 10
  return { count: points.filter((one) => one > 0).length, points: sum }
}

/** Beginnings of fewer letters would be those of too many words. */
const MIN_BEGINNING = 3

function likeness(stems: string, word: string): number {
  if (stems.includes(word)) return 1
  return word.length - 2 >= MIN_BEGINNING && stems.includes(word.slice(0, -1)) ? 0.5 : 0
}

/** Words of the field for what the names of Fleet call otherwise, as stems. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  '-app-': ['instance', 'project'],
  '-application-': ['instance', 'project'],
  '-change-': ['update'],
  '-cron-': ['schedule'],
  '-delete-': ['destroy', 'remove'],
  '-domain-': ['route'],
  '-edit-': ['update'],
  '-environment-': ['env'],
  '-get-': ['show', 'list'],
  '-host-': ['node'],
  '-job-': ['schedule'],
  '-machine-': ['node'],
  '-new-': ['create', 'add'],
  '-permission-': ['access'],
  '-remove-': ['destroy'],
  '-secret-': ['env'],
  '-server-': ['node'],
  '-service-': ['process'],
  '-set-': ['update'],
  '-site-': ['instance', 'route'],
  '-sql-': ['query'],
  '-tail-': ['log'],
  '-undo-': ['rollback'],
  '-variable-': ['env'],
  '-view-': ['show', 'list'],
  '-worker-': ['process'],
}

/** What a question has besides its subject. */
const FILLING = new Set([
  ...'a all an and for from how i in is me my of on or the to with'.split(' '),
  'fleet',
])

const wordsOf = (query: string): string[] => [
  ...new Set(
    query
      .toLowerCase()
      .split(/[^\w:-]+/)
      .filter((word) => !FILLING.has(word))
      .map(stemsOf)
      .filter((stems) => stems !== '--'),
  ),
]

/** The stems of the words between hyphens, so that one text holds the words of another where it holds its stems. */
const stemsOf = (text: string): string =>
  `-${text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .map(stem)
    .join('-')}-`

const stem = (word: string): string => {
  if (word.length < 4) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2)
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word
}
