import { readFileSync } from 'node:fs'
import assert from 'node:assert/strict'
import type { DatabaseAccess, Target } from '@fleet/database-access'

/** A row of `docs/guides/values-of-a-database.md`: what a value in a column of a type is in JSON. */
interface DocumentedValue {
  readonly type: string
  readonly value: string
  readonly answer: unknown
}

const PAGE = new URL('../../docs/guides/values-of-a-database.md', import.meta.url)
const CODE = /`((?:[^`\\]|\\.)*)`/

/** The rows of the tables below a heading. */
function documentedValues(heading: string): readonly DocumentedValue[] {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split(`\n## ${heading}\n`)
  const [tables = ''] = section.split('\n## ')
  return tables.split('\n').flatMap((line) => {
    const cells = line
      .replaceAll(String.raw`\|`, '\0')
      .split('|')
      .slice(1, -1)
    const [type, value, answer] = cells.map((cell) => CODE.exec(cell)?.[1]?.replaceAll('\0', '|'))
    if (type === undefined || value === undefined || answer === undefined) return []
    const parsed: unknown = JSON.parse(answer)
    return [{ type, value, answer: parsed }]
  })
}

/** Stores every value that the page has below some headings in a column of its type, and reads it. */
export async function provesValues(
  headings: readonly string[],
  { databases, target }: { readonly databases: DatabaseAccess; readonly target: Target },
  run: (sql: string) => unknown,
): Promise<void> {
  const values = headings.flatMap(documentedValues)
  assert.ok(values.length > 10, `${values.length} values`)
  await run(`create table documented (${values.map(({ type }, at) => `c${at} ${type}`).join(', ')})`)
  await run(`insert into documented values (${values.map(({ value }) => value).join(', ')})`)
  const { rows } = await databases.query(target, { sql: 'select * from documented', write: false })
  assert.deepEqual(
    values.map(({ type, value }, at) => [type, value, sent(rows[0]?.[`c${at}`])]),
    values.map(({ type, value, answer }) => [type, value, answer]),
  )
}

/** As a client gets it: JSON has no other zero. */
const sent = (value: unknown): unknown =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value))
