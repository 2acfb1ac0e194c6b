import { foldAll } from '#/print/fold.ts'
import { widthOf } from '#/print/text.ts'
import type { Json } from '#/print/value.ts'
import type { Terminal } from '#/terminal.ts'
import { headLine, nodeRow, tableOf } from './top-picture.ts'
import { processRow } from './top-processes.ts'
import type { Seen } from './watch-nodes.ts'

/** The picture as one object: every Node with its units and workspaces as reported by its agent, and every Process. */
export const pictureData = (seen: Seen, ticks: number): Json => ({
  nodes: seen.nodes.map((node) => ({
    ...nodeRow(node, ticks),
    units: node.view.hasSnapshot ? node.view.units : null,
    workspaces: node.view.workspaces,
  })),
  processes: seen.processes.map((process) => processRow(process, seen)),
  unfinished: seen.unfinished,
})

/** The picture once, as plain text. */
export async function printPicture(
  seen: Seen,
  { name, ticks, terminal }: { readonly name: string; readonly ticks: number; readonly terminal: Terminal },
): Promise<void> {
  const format = { ticks, columns: terminal.columns, colors: terminal.outColors }
  const head = headLine(seen, { name, ticks })
  const lines = [
    ...foldAll([head], terminal.columns, await widthOf([head])),
    '',
    ...(await tableOf('nodes', seen, format)),
  ]
  if (seen.processes.length > 0) lines.push('', ...(await tableOf('processes', seen, format)))
  if (seen.nodes.some(({ view }) => view.units.length > 0))
    lines.push('', ...(await tableOf('units', seen, format)))
  if (seen.nodes.some(({ view }) => view.workspaces.length > 0))
    lines.push('', ...(await tableOf('workspaces', seen, format)))
  if (seen.unfinished.length > 0) lines.push('', ...(await tableOf('unfinished', seen, format)))
  terminal.out(`${lines.join('\n')}\n`)
}
