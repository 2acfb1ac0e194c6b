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

export interface Requirements {
  readonly rows: readonly Requirement[]
  readonly replaced: readonly Replaced[]
}

const FOLDER = 'docs/requirements'
const REPLACED = 'replaced.tsv'

/** Reads all rows. Throws on an empty folder, a malformed line, a double id, or a replaced row or page that is not there. */
export function readRequirements(root: string): Requirements {
  const folder = join(root, FOLDER)
  const files = readdirSync(folder).filter((name) => name.endsWith('.tsv') && name !== REPLACED)
  const rows = files.toSorted().flatMap((name) => parseRows(join(folder, name)))
  if (rows.length === 0) throw new Error(`no requirement rows found in ${FOLDER}`)
  const ids = new Set<string>()
  for (const { id } of rows) {
    if (ids.has(id)) throw new Error(`${FOLDER}: ${id} stands twice`)
    ids.add(id)
  }
  const replaced = parseReplaced(join(folder, REPLACED))
  const pages = readdirSync(join(root, 'docs/decisions'))
  for (const { id, decision } of replaced) {
    if (!ids.has(id)) throw new Error(`${REPLACED}: ${id} is no requirement`)
    if (!pages.some((page) => page.startsWith(`${decision}-`)))
      throw new Error(`${REPLACED}: no decision page ${decision}`)
  }
  return { rows, replaced }
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

const parseReplaced = (path: string): readonly Replaced[] =>
  lines(path).map(([id = '', decision = '']) => ({ id, decision }))
