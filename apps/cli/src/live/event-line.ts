import { inline, isObject, type Json, NOTHING } from '#/print/value.ts'
import type { Colors } from '#/terminal.ts'

const TYPE_COLUMNS = 18

/** An event in one line: when, what, which record, and what about it a person looks for. */
export function eventLine({ type, id, at, data }: Json, colors: Colors): string {
  const record = isObject(data) ? data : {}
  const name = inline(String(type))
  const facts = name.startsWith('activity.') ? activityFacts(record) : recordFacts(record, id)
  return `${colors.dim(timeOf(at))}  ${colors.bold(name.padEnd(TYPE_COLUMNS))} ${facts}`
}

/** `12:34:56` of the time that the gateway sent. */
const timeOf = (at: unknown): string => /T(\d\d:\d\d:\d\d)/.exec(String(at))?.[1] ?? '--:--:--'

/** The command says more than the id, which only finds the row again. */
function activityFacts(row: Json): string {
  const { command, status, error_code, duration_ms } = row
  const parts = [command, status, error_code, duration_ms === null ? undefined : `${inline(duration_ms)} ms`]
  return parts
    .map((part) => inline(part))
    .filter((part) => part !== NOTHING)
    .join('  ')
}

const FACTS = ['status', 'runtime_status', 'roles', 'updating', 'failed_step', 'error_code'] as const

function recordFacts(record: Json, id: unknown): string {
  const name = record['slug'] ?? record['name'] ?? record['domain']
  const label = name === undefined ? `#${inline(id)}` : `${inline(name)} (${inline(id)})`
  const place = isObject(record['node']) ? record['node']['name'] : record['node']
  const facts = FACTS.flatMap((fact) => {
    const text = inline(record[fact])
    return text === NOTHING ? [] : [`${fact.replace('_', ' ')} ${text}`]
  })
  return [label, ...(typeof place === 'string' ? [`on ${inline(place)}`] : []), ...facts].join('  ')
}
