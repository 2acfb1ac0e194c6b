import { tableLines } from '#/print/table.ts'
import type { Json } from '#/print/value.ts'
import type { Colors } from '#/terminal.ts'
import { mebibytes, processRows, shareOf } from './top-processes.ts'
import type { Seen, SeenNode } from './watch-nodes.ts'

export const TOP_VIEWS = ['nodes', 'processes', 'units', 'workspaces', 'unfinished'] as const
export type TopView = (typeof TOP_VIEWS)[number]

/** What `fleet top` shows of a Node; also its JSON. */
export function nodeRow({ record, view }: SeenNode, ticks: number) {
  const silence = view.silence(ticks)
  const { units } = view
  return {
    id: record['id'],
    name: record['name'],
    agent: view.presence(ticks),
    heard_seconds: silence === undefined ? null : Math.floor(silence / 1000),
    status: record['status'],
    roles: record['roles'],
    units: view.hasSnapshot ? `${units.filter(isRunning).length}/${units.length}` : null,
    docker: view.docker ?? null,
    workspaces: view.workspaces.length,
    updating: record['updating'] === null ? null : 'yes',
    version: view.version ?? null,
  }
}

const isRunning = ({ runtime_status }: { readonly runtime_status: string }): boolean =>
  runtime_status === 'active' || runtime_status === 'running'

const COLUMNS: Readonly<Record<TopView, readonly string[]>> = {
  nodes: [
    'name',
    'agent',
    'heard',
    'status',
    'units',
    'workspaces',
    'docker',
    'roles',
    'updating',
    'version',
  ],
  processes: ['owner', 'process', 'status', 'desired', 'runtime', 'cpu', 'memory', 'problem', 'id'],
  units: ['node', 'unit', 'status', 'runtime', 'cpu', 'memory'],
  workspaces: ['node', 'instance', 'branch', 'head', 'dirty', 'commits', 'changes'],
  unfinished: ['node', 'instance', 'status', 'failed_step', 'error_code', 'id'],
}

/** The moment that a picture is of: a viewer that is cut off knows nothing of what came after. */
const momentOf = ({ link }: Seen, ticks: number): number => (link.kind === 'lost' ? link.since : ticks)

/** The table of one view as lines, its heading first. */
export async function tableOf(
  view: TopView,
  seen: Seen,
  { ticks, columns, colors }: { readonly ticks: number; readonly columns: number; readonly colors: Colors },
): Promise<readonly string[]> {
  const rows = ROWS[view](seen, momentOf(seen, ticks))
  return rows.length === 0 ? [EMPTY[view]] : tableLines(rows, COLUMNS[view], columns, colors)
}

const EMPTY: Readonly<Record<TopView, string>> = {
  nodes: 'No Nodes yet.',
  processes: 'No Processes yet.',
  units: 'No agent has reported units.',
  workspaces: 'No agent has reported workspaces.',
  unfinished: 'No Instance is unfinished.',
}

const nodeRows = ({ nodes }: Seen, ticks: number): readonly Json[] =>
  nodes.map((node) => {
    const row = nodeRow(node, ticks)
    return { ...row, heard: row.heard_seconds === null ? null : `${row.heard_seconds} s` }
  })

const unitRows = ({ nodes, usage }: Seen): readonly Json[] =>
  nodes.flatMap(({ record, view }) =>
    view.units.map(({ name, runtime, runtime_status }) => {
      const [cpu, memory] = usage.get(Number(/^orbit-process-(\d+)-/.exec(name)?.[1])) ?? [null, null]
      return {
        node: record['name'],
        unit: name,
        status: runtime_status,
        runtime,
        cpu: shareOf(cpu),
        memory: mebibytes(memory),
      }
    }),
  )

const workspaceRows = ({ nodes }: Seen): readonly Json[] =>
  nodes.flatMap(({ record, view }) =>
    view.workspaces.map(({ instance_id, branch, head, dirty, commits, diff }) => ({
      node: record['name'],
      instance: instance_id,
      branch,
      head: typeof head === 'string' ? head.slice(0, 10) : null,
      dirty,
      commits,
      changes: changesOf(diff),
    })),
  )

/** Instances whose creation, setup or removal was interrupted, failed, or is in progress. */
const unfinishedRows = ({ unfinished }: Seen): readonly Json[] =>
  unfinished.map(({ id, name, project, node, status, failed_step, error_code }) => ({
    id,
    node: nameIn(node),
    instance: `${nameIn(project)}/${String(name)}`,
    status,
    failed_step,
    error_code,
  }))

const nameIn = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'name' in value ? String(value.name) : '?'

const ROWS: Readonly<Record<TopView, (seen: Seen, ticks: number) => readonly Json[]>> = {
  nodes: nodeRows,
  processes: processRows,
  units: unitRows,
  workspaces: workspaceRows,
  unfinished: unfinishedRows,
}

function changesOf(diff: unknown): string | null {
  if (typeof diff !== 'object' || diff === null || !('files' in diff)) return null
  const { files, added, removed } = diff as Json // An object with members of any kind.
  const lines = typeof added === 'number' ? `, +${added} −${String(removed)}` : ''
  return `${String(files)} files${lines}`
}

/** One line about everything: whose fleet, how many of it is there, how fresh this is. */
export function headLine(
  seen: Seen,
  { name, ticks }: { readonly name: string; readonly ticks: number },
): string {
  const presences = seen.nodes.map(({ view }) => view.presence(momentOf(seen, ticks)))
  const counts = (['online', 'lost', 'unknown'] as const)
    .map((presence) => [presences.filter((one) => one === presence).length, presence] as const)
    .filter(([count]) => count > 0)
    .map(([count, presence]) => `${count} ${presence}`)
  const nodes = `${seen.nodes.length} ${seen.nodes.length === 1 ? 'Node' : 'Nodes'}`
  const { length } = seen.unfinished
  const unfinished = length === 0 ? [] : [`${length} ${length === 1 ? 'Instance' : 'Instances'} unfinished`]
  return [`fleet top  ${name}`, [nodes, ...counts, ...unfinished].join(', '), linkText(seen, ticks)]
    .filter(Boolean)
    .join('  ')
}

function linkText({ link }: Seen, ticks: number): string {
  if (link.kind === 'connected') return ''
  if (link.kind === 'connecting') return 'connecting'
  const seconds = Math.max(0, Math.ceil((link.retryAt - ticks) / 1000))
  return `DISCONNECTED: ${link.reason}; retrying in ${seconds} s`
}
