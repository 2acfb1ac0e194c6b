import {
  type Check,
  type CheckedResource,
  differs,
  driven,
  type FamilyChecks,
  isEmbedded,
  lifecycleCheck,
  type NodeRecord,
  type NodeSession,
} from '#/nodes/api.ts'
import { codeOf } from '#/error-details.ts'
import { isSupported } from '#/tools/managers/catalogue.ts'
import type { PackageState } from '#/tools/managers/manager.ts'
import { toolLock } from '#/tools/locks.ts'
import { managersOf } from '#/tools/managers/registry.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { findTool, toolsOn } from '#/tools/queries.ts'
import { isManagerMissing } from '#/tools/readiness.ts'
import type { ToolRow } from '#/tools/record.ts'

/** The family `tool` (DRF-053): operations that nobody finished, and packages that differ from their records. */
export const makeToolChecks = (deps: Pick<ToolsDeps, 'store' | 'root'>): FamilyChecks => ({
  family: 'tool',
  checksOf: async (_call, node) => {
    const rows = await toolsOn(deps.store.db, node.id)
    const installed = rows.filter((row) => row.status === 'installed' && isReadable(row, node))
    return [
      ...rows.map((row) => lifecycleOf(deps, row)),
      ...installed.flatMap((row) => packageChecks(deps, row)),
    ]
  },
})

const isReadable = ({ manager }: ToolRow, node: NodeRecord): boolean =>
  isSupported(manager, node.platform) && !isEmbedded(node)

const resourceOf = (row: ToolRow): CheckedResource => ({
  type: 'tool',
  id: row.id,
  name: `${row.manager} ${row.package}`,
})

/** What nobody finished (decision 0182). */
const lifecycleOf = ({ store }: Pick<ToolsDeps, 'store'>, row: ToolRow): Check =>
  lifecycleCheck(store.locks, {
    code: 'tool.lifecycle_not_active',
    resource: resourceOf(row),
    expected: 'installed',
    seen: row.status,
    lock: toolLock(row.node_id, row.manager, row.package).name,
    again: () => findTool(store.db, row.id),
  })

/** Both checks of a Tool read its package once. */
function packageChecks(deps: Pick<ToolsDeps, 'root'>, row: ToolRow): readonly Check[] {
  const resource = resourceOf(row)
  let reading: Promise<PackageState> | undefined
  const read = (session: NodeSession): Promise<PackageState> =>
    (reading ??= managersOf(deps)[row.manager].read(session, row.package))
  return [
    driven('tool.not_installed', resource, async (session) => {
      try {
        return (await read(session)).installed === undefined ? ABSENT : undefined
      } catch (error) {
        // Without its manager the package does not work either, and an update installs both.
        if (isManagerMissing(error)) return ABSENT
        throw error
      }
    }),
    driven('tool.version_mismatch', resource, async (session) => {
      const state = await read(session).catch((error: unknown) => {
        if (codeOf(error) === 'tool.manager_unavailable') return undefined
        throw error
      })
      if (state?.installed === undefined) return undefined
      return differs(row.installed_version ?? '', state.installed) && OTHER
    }),
  ]
}

const ABSENT = { expected: 'installed', observed: 'absent' } as const
const OTHER = { expected: 'the recorded version', observed: 'another version' } as const
