import {
  fail,
  type ScannedManager,
  scannedManagers,
  type ScanState,
  type ToolInventory,
} from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { Handler } from '#/handler.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { describing } from '#/tools/failure.ts'
import { isNeeded, requireManaged } from '#/tools/guards.ts'
import { isSupported } from '#/tools/managers/catalogue.ts'
import type { FoundPackage, IsNeeded } from '#/tools/managers/inventory.ts'
import { scanScript } from '#/tools/managers/scan.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { toolsOn } from '#/tools/queries.ts'
import type { ToolRow } from '#/tools/record.ts'

/** What Homebrew and Vite+ have on a Node, read without a lock and without storing anything (TOOL-045, TOOL-046). */
export const makeScan =
  (deps: ToolsDeps): Handler<'tool:scan'> =>
  ({ call, input }) =>
    describing({ step: 'scan' }, async () => {
      const node = await deps.nodes.find(input.node_id)
      if (!node) throw fail('node.not_found')
      call.note.target(node.id)
      requireManaged(node)
      const session = deps.nodes.sessions.overTunnel(call, node)
      const needed: IsNeeded = (manager, name) => isNeeded(deps, { node, manager, name })
      const scanned = await Promise.all(
        scannedManagers.map((manager) => scanManager(deps, session, manager, needed)),
      )
      const rows = await toolsOn(deps.store.db, node.id)
      const data: ToolInventory = {
        node_id: node.id,
        observed_at: deps.clock.now().toISOString(),
        managers: scanned.map(({ manager, scan_state, packages }) => ({
          manager,
          scan_state,
          packages: packages.map((found) => compared(found, rows)).toSorted(byName),
        })),
      }
      return { data }
    })

interface Scanned {
  readonly manager: ScannedManager
  readonly scan_state: ScanState
  readonly packages: readonly FoundPackage[]
}

async function scanManager(
  { root = '' }: ToolsDeps,
  session: NodeSession,
  manager: ScannedManager,
  needed: IsNeeded,
): Promise<Scanned> {
  const without = (scan_state: ScanState): Scanned => ({ manager, scan_state, packages: [] })
  if (!isSupported(manager, session.node.platform)) return without('unsupported')
  try {
    const found = await session.ask(scanScript(manager, root, needed), undefined)
    return typeof found === 'string' ? without(found) : { manager, scan_state: 'complete', packages: found }
  } catch (error) {
    // Too much output, too long, or not what this manager prints: the others are still read.
    if (error instanceof CodedError && INCOMPLETE.has(error.code)) return without('incomplete')
    throw error
  }
}

const INCOMPLETE: ReadonlySet<string> = new Set([
  'tool.version_probe_failed',
  'node.output_too_large',
  'command.deadline_exceeded',
])

function compared(
  found: FoundPackage,
  rows: readonly ToolRow[],
): ToolInventory['managers'][number]['packages'][number] {
  const row = rows.find((one) => one.manager === found.manager && one.package === found.package)
  const adoption = found.adoption_block === null ? 'supported' : 'unsupported'
  return { ...found, registered: row !== undefined, tool_id: row?.id ?? null, adoption }
}

const byName = (a: FoundPackage, b: FoundPackage): number =>
  a.package < b.package ? -1 : a.package > b.package ? 1 : 0
