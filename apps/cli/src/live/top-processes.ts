import { isObject, type Json } from '#/print/value.ts'
import type { Seen } from './watch-nodes.ts'

/** What `fleet top` shows of a Process; also its JSON. */
export function processRow(process: Json, seen: Seen) {
  const id = Number(process['id'])
  const [cpu, memory_bytes] = seen.usage.get(id) ?? [process['cpu'], process['memory_bytes']]
  return {
    id,
    owner: ownerOf(process, seen),
    name: String(process['name']),
    runtime: process['runtime'],
    desired: process['desired_state'],
    status: reportedStatus(process, seen) ?? process['runtime_status'] ?? process['status'],
    cpu: typeof cpu === 'number' ? cpu : null,
    memory_bytes: typeof memory_bytes === 'number' ? memory_bytes : null,
    problem: problemOf(process),
  }
}

/** By owner and name, as a table shows them. */
export const processRows = (seen: Seen): readonly Json[] =>
  seen.processes
    .map((process) => {
      const { cpu, memory_bytes, name, ...row } = processRow(process, seen)
      return { ...row, process: name, cpu: shareOf(cpu), memory: mebibytes(memory_bytes) }
    })
    .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))

export const shareOf = (cpu: number | null): string | null =>
  cpu === null ? null : `${(cpu * 100).toFixed(1)} %`
export const mebibytes = (bytes: number | null): string | null =>
  bytes === null ? null : `${(bytes / 1024 / 1024).toFixed(0)} MiB`

const sortKey = ({ owner, process }: { readonly owner: string; readonly process: string }): string =>
  `${owner} ${process}`

function ownerOf({ target_type, target_id }: Json, { nodes, instances }: Seen): string {
  if (target_type === 'node') {
    const node = nodes.find(({ record }) => record['id'] === target_id)
    return node ? String(node.record['name']) : `node ${String(target_id)}`
  }
  const instance = instances.get(Number(target_id))
  const project = instance?.['project']
  if (!instance || !isObject(project)) return `instance ${String(target_id)}`
  return `${String(project['name'])}/${String(instance['name'])}`
}

/** The agent of its Node reports each change; the record has what was read at the end of the last action. */
function reportedStatus({ id, name }: Json, { nodes }: Seen): string | undefined {
  const unit = `orbit-process-${String(id)}-${String(name)}`
  for (const { view } of nodes) {
    const found = view.units.find((one) => one.name === unit)
    if (found) return found.runtime_status
  }
  return undefined
}

const problemOf = ({ failed_step, error_code }: Json): string | null =>
  typeof error_code === 'string' ? error_code : typeof failed_step === 'string' ? failed_step : null
