import type { InventoryPackage, ToolInventory } from '@fleet/contract'
import { tableLines } from '#/print/table.ts'
import type { Json } from '#/print/value.ts'
import type { View } from './view.ts'

/** What each manager has installed, as one table; and the managers of which that cannot be said. */
export const toolScan: View = {
  lines: async (data, _also, { columns, colors }) => {
    const { managers } = data as unknown as ToolInventory // The gateway answers by this declaration.
    const rows = managers.flatMap(({ packages }) => packages.map(rowOf))
    const table =
      rows.length > 0
        ? await tableLines(rows, ['manager', 'package', 'version', 'tool', 'why'], columns, colors)
        : ['No packages were found.']
    const unread = managers.filter(({ scan_state: state }) => state !== 'complete' && state !== 'absent')
    return [
      ...table,
      ...unread.map(({ manager, scan_state: state }) => colors.red(`${manager} is ${state}.`)),
    ]
  },
}

const rowOf = (one: InventoryPackage): Json => ({
  manager: one.manager,
  package: one.package,
  version: one.installed_version,
  tool: one.registered
    ? `yes (${String(one.tool_id)})`
    : one.adoption === 'supported'
      ? 'can be adopted'
      : 'no',
  why: one.registered ? null : (one.adoption_block?.replaceAll('_', ' ') ?? null),
})
