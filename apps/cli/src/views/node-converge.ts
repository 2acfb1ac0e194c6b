import type { FootprintData } from '@fleet/contract'
import { tableLines } from '#/print/table.ts'
import { oneLine } from '#/print/text.ts'
import type { View } from './view.ts'

/** One row for each part of what the gateway installs. */
export const nodeConverge: View = {
  lines: async (data, _also, { columns, colors }) => {
    const { artifacts } = data as unknown as FootprintData // The gateway answers by this declaration.
    if (artifacts.length === 0) return [colors.dim('The gateway installs nothing on this Node.')]
    const said = artifacts.flatMap(({ name, message }) =>
      message === undefined ? [] : ['', `${name}: ${oneLine(message)}`],
    )
    return [...(await tableLines(artifacts, ['name', 'outcome', 'error_code'], columns, colors)), ...said]
  },
}
