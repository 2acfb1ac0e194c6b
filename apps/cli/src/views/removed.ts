import { inline, isObject, type Json } from '#/print/value.ts'
import { type Row, section, type View } from './view.ts'

/** What was removed, in one sentence, and what stays on machines that could not be reached. */
export const removed: View = {
  lines: (data, _also, paper) => {
    const { id, status, failed_step: step, error_code: code, retained_on_nodes: retained } = data
    const name = data['domain'] ?? data['slug'] ?? data['name']
    const { bold, red } = paper.colors
    const title = `${bold(inline(name))} (${inline(id)})`
    // The removal of an Instance is a record of its own, which may not have ended.
    if ('operation_id' in data && status !== 'completed') {
      const said = typeof code === 'string' ? `. ${paper.messageOf(code) ?? ''} (${inline(code)})` : '.'
      return [`${title} ${red('is not removed')}: it stopped at the step ${inline(step)}${said}`]
    }
    const rows = Array.isArray(retained) ? retained.filter(isObject).map(retainedRow) : []
    return [`${title} is removed.`, ...section('Stays on machines', rows, paper)]
  },
}

const retainedRow = ({ node, node_id: id, path, steps }: Json): Row => [
  `${inline(node)} (${inline(id)})`,
  inline(path ?? steps ?? ''),
]
