import { parseSync } from 'libpg-query'

interface Place {
  readonly from: number
  readonly parameter: number
}

/** Replaces the names of arguments by `$n`, where they stand alone as a column would. Places of the parser are in bytes. */
export function argumentsAsParameters(sql: string, names: readonly string[]): string {
  const places: Place[] = []
  collect(parseSync(sql), names, places)
  let bytes = Buffer.from(sql)
  for (const { from, parameter } of places.toSorted((a, b) => b.from - a.from)) {
    const end = from + identifierLength(bytes.subarray(from).toString())
    bytes = Buffer.concat([bytes.subarray(0, from), Buffer.from(`$${parameter}`), bytes.subarray(end)])
  }
  return bytes.toString()
}

const identifierLength = (text: string): number =>
  Buffer.byteLength(/^"(?:[^"]|"")*"|^[\p{L}_][\p{L}\p{N}_$]*/u.exec(text)?.[0] ?? '')

function collect(node: unknown, names: readonly string[], places: Place[]): void {
  if (Array.isArray(node)) for (const item of node) collect(item, names, places)
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return
  for (const [tag, inner] of Object.entries(node)) {
    const column = tag === 'ColumnRef' ? columnName(inner) : undefined
    const parameter = column ? names.indexOf(column.name) + 1 : 0
    if (column && parameter > 0) places.push({ from: column.location, parameter })
    else collect(inner, names, places)
  }
}

function columnName(node: unknown): { readonly name: string; readonly location: number } | undefined {
  const text = JSON.stringify(node)
  const [, name, location] =
    /^\{"fields":\[\{"String":\{"sval":"([^"\\]*)"\}\}\],"location":(\d+)\}$/.exec(text) ?? []
  return name === undefined ? undefined : { name, location: Number(location) }
}
