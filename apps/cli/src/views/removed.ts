import { inline, type Json, objectsIn } from '#/print/value.ts'
import { type Paper, type Row, section, type View } from './view.ts'

/** What was removed, in one sentence, and what stays on machines that could not be reached. `noun` says what it was. */
export const removed = (noun: string): View => ({
  lines: (data, _also, paper) => {
    const { retained_on_nodes: retained } = data
    const rows = objectsIn(retained).map(retainedRow)
    const others = objectsIn(data['removed_instances']).map(
      ({ id, name }) => `${inline(name)} (${inline(id)})`,
    )
    const databases = objectsIn(data['removed_databases']).map(
      ({ slug, database, path }) => `${inline(slug)} (${inline(database ?? path)})`,
    )
    const { dropped_databases: dropped, removed_deploy_key: key } = data
    const definitions = objectsIn(data['removed_definitions']).map(
      ({ kind, name }) => `${inline(kind)} ${inline(name)}`,
    )
    return [
      sentence(noun, data, paper),
      ...(Array.isArray(dropped) && dropped.length > 0
        ? [`Dropped on the server, with all their data: ${dropped.map(inline).join(', ')}.`]
        : []),
      ...(definitions.length === 0 ? [] : [`With it, these definitions: ${definitions.join(', ')}.`]),
      ...(typeof key === 'string' ? [`With it, the deploy key ${key}: delete it at the Git host too.`] : []),
      ...(databases.length === 0
        ? []
        : [`With it, with all their data, these databases: ${databases.join(', ')}.`]),
      ...(others.length === 0 ? [] : [`With it, as linked worktrees of its checkout: ${others.join(', ')}.`]),
      ...section('Stays on machines', rows, paper),
    ]
  },
})

function sentence(noun: string, data: Json, { colors: { bold, red }, messageOf }: Paper): string {
  const { id, status, failed_step: step, error_code: code, removed: isGone } = data
  const name = data['domain'] ?? data['slug'] ?? data['name']
  const title = `${noun} ${bold(inline(name))} (${inline(id)})`
  // The removal of an Instance is a record of its own, which may not have ended.
  if ('operation_id' in data && status !== 'completed') {
    const said = typeof code === 'string' ? `. ${messageOf(code) ?? ''} (${inline(code)})` : '.'
    return `${title} ${red('is not removed')}: it stopped at the step ${inline(step)}${said}`
  }
  // That of a Schedule waits for its run.
  return isGone === false ? `${title} is removed when its run has ended.` : `${title} is removed.`
}

const retainedRow = ({ node, node_id: id, ...retained }: Json): Row => [
  `${inline(node)} (${inline(id)})`,
  inline(retainedText(retained)),
]

/** What stays of it there, by the member that names it. */
function retainedText({ path, steps, unit, timer, database, container }: Json): string {
  if (typeof path === 'string') return `the directory ${path}`
  if (Array.isArray(steps)) return steps.map((step) => PARTS[String(step)] ?? inline(step)).join(', ')
  if (typeof unit === 'string') return `the unit or container ${unit}`
  if (typeof timer === 'string') return `the timer ${timer}`
  if (typeof database === 'string') return `the database ${database}`
  if (typeof container === 'string') return `the container ${container}, and its volume`
  return `${PARTS['caddy']}, ${PARTS['certificate']}`
}

/** Parts of a Route on a Node; a Router keeps both. */
const PARTS: Readonly<Record<string, string>> = {
  caddy: 'the site in the web server',
  certificate: 'its certificate',
}
