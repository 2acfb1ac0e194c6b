import type { FootprintData } from '@fleet/contract'
import { tableLines } from '#/print/table.ts'
import type { View } from './view.ts'

/** One row for each part of what the gateway installs. */
export const nodeConverge: View = {
  lines: (data, _also, { columns, colors }) => {
    const { artifacts } = data as unknown as FootprintData // The gateway answers by this declaration.
    if (artifacts.length === 0) return [colors.dim('The gateway installs nothing on this Node.')]
    return tableLines(artifacts, ['name', 'outcome', 'error_code'], columns, colors)
  },
}
