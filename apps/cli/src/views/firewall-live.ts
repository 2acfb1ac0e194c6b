import type { LiveFirewallData } from '@fleet/contract'
import { tableLines } from '#/print/table.ts'
import { inline } from '#/print/value.ts'
import type { Paper, View } from './view.ts'

const COLUMNS = [
  'match',
  'name',
  'action',
  'port',
  'protocol',
  'source',
  'interface',
  'direction',
  'destination',
  'family',
  'comment',
] as const

/** The live rules in evaluation order, then the missing ones. */
export const firewallLive: View = {
  lines: async (data, _also, paper) => {
    const { backend_status: backend, live, missing } = data as unknown as LiveFirewallData // The gateway answers by this declaration.
    return [
      `The firewall is ${backend === 'active' ? backend : paper.colors.red(inline(backend))}.`,
      ...(await titled('Rules in evaluation order', live, paper)),
      ...(await titled('Missing on the Node', missing, paper)),
    ]
  },
}

async function titled(
  title: string,
  rules: LiveFirewallData['live'],
  { columns, colors }: Paper,
): Promise<readonly string[]> {
  if (rules.length === 0) return []
  return ['', colors.bold(title), ...(await tableLines(rules, COLUMNS, columns, colors))]
}
