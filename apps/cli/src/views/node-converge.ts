import type { FootprintData } from '@fleet/contract'
import { filledIn, namedWords } from '#/next/typed.ts'
import { detailFacts, type Fact, factLines, knownStep } from '#/print/errors.ts'
import { tableLines } from '#/print/table.ts'
import { oneLine } from '#/print/text.ts'
import type { Paper, View } from './view.ts'

/** One row for each part of what the gateway installs. Below it, of each part that was skipped, where, why and what helps. */
export const nodeConverge: View = {
  lines: async (data, _also, paper) => {
    const { artifacts, node_id: node } = data as unknown as FootprintData // The gateway answers by this declaration.
    const { columns, colors } = paper
    if (artifacts.length === 0) return [colors.dim('The gateway installs nothing on this Node.')]
    const rows = artifacts.map(({ name, outcome, error_code }) => ({ name, outcome, error_code }))
    return [
      ...(await tableLines(rows, ['name', 'outcome', 'error_code'], columns, colors)),
      ...artifacts.flatMap((artifact) => saidOf(artifact, String(node), paper)),
    ]
  },
}

function saidOf(
  { name, message, details, error_code: code }: FootprintData['artifacts'][number],
  node: string,
  { colors }: Paper,
): readonly string[] {
  if (message === undefined) return []
  const head = ['', `${name}: ${oneLine(message)}`]
  if (details === undefined || code === null) return head
  const next = knownStep({ code, message, details }, 'node:converge')
  // Whose converge it is was typed.
  const { node: _, ...rest } = details
  const facts: readonly Fact[] = [
    ...detailFacts(rest),
    ...(next === undefined
      ? []
      : [['next', filledIn(next, { NODE: node, ...namedWords(details) })] as const]),
  ]
  return [...head, ...factLines(facts, colors)]
}
