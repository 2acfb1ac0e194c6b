import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** One checkable statement of docs/requirements. */
export interface Requirement {
  /** `ENV-031`: never reused, never renumbered. */
  readonly id: string
  readonly area: string
  readonly kind: string
  readonly statement: string
}

/** A row that a decision page put something else in the place of. */
export interface Replaced {
  readonly id: string
  /** Number of the page in docs/decisions, four digits. */
  readonly decision: string
}

/** A row of which tests prove some clauses only. */
export interface Partly {
  readonly id: string
  /** The clauses without a test, or why the test does not prove them. */
  readonly missing: string
}

export interface Requirements {
  readonly rows: readonly Requirement[]
  readonly replaced: readonly Replaced[]
  readonly partly: readonly Partly[]
}

const FOLDER = 'docs/requirements'
const REPLACED = 'replaced.tsv'
const PARTLY = 'partly.tsv'

/** Reads all rows. Throws on an empty folder, a malformed line, a double id, or a replaced or partly proven row that does not exist. */
export function readRequirements(root: string): Requirements {
  const folder = join(root, FOLDER)
  const files = readdirSync(folder).filter(
    (name) => name.endsWith('.tsv') && name !== REPLACED && name !== PARTLY,
  )
  const rows = files.toSorted().flatMap((name) => parseRows(join(folder, name)))
  if (rows.length === 0) throw new Error(`no requirement rows found in ${FOLDER}`)
  const ids = new Set<string>()
  for (const { id } of rows) {
    if (ids.has(id)) throw new Error(`${FOLDER}: ${id} stands twice`)
    ids.add(id)
  }
  const replaced = cellsOf(join(folder, REPLACED)).map(([id, decision]) => ({ id, decision }))
  const partly = cellsOf(join(folder, PARTLY)).map(([id, missing]) => ({ id, missing }))
  const pages = readdirSync(join(root, 'docs/decisions'))
  for (const { id, decision } of replaced) {
    if (!ids.has(id)) throw new Error(`${REPLACED}: ${id} is no requirement`)
    if (!pages.some((page) => page.startsWith(`${decision}-`)))
      throw new Error(`${REPLACED}: no decision page ${decision}`)
  }
  for (const { id } of partly) {
    if (!ids.has(id)) throw new Error(`${PARTLY}: ${id} is no requirement`)
    if (replaced.some((row) => row.id === id)) throw new Error(`${PARTLY}: ${id} is in ${REPLACED} too`)
  }
  return { rows, replaced, partly }
}

const lines = (path: string): readonly (readonly string[])[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))

function parseRows(path: string): readonly Requirement[] {
  return lines(path).map((cells, index) => {
    const [id = '', area = '', kind = '', statement = ''] = cells
    if (cells.length !== 5 || !/^[A-Z]{2,5}-\d{3}$/.test(id) || statement === '')
      throw new Error(
        `${basename(path)}:${index + 2}: a row is id, area, kind, statement and how to check it, joined by tabs`,
      )
    return { id, area, kind, statement }
  })
}

function cellsOf(path: string): ReadonlyArray<readonly [id: string, text: string]> {
  const seen = new Set<string>()
  return lines(path).map((cells, index) => {
    const [id = '', text = ''] = cells
    const place = `${basename(path)}:${index + 2}`
    if (cells.length !== 2 || text.trim() === '')
      throw new Error(`${place}: a row is an id and a text, joined by a tab`)
    if (seen.has(id)) throw new Error(`${place}: ${id} is listed twice`)
    seen.add(id)
    return [id, text]
  })
}
