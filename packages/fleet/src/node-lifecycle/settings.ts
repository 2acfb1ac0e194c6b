import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import type { CheckoutPaths } from '#/instances/api.ts'
import {
  appsPathRefusal,
  checkAppsRoot,
  holdingNode,
  type NodeRecord,
  presentNode,
  publishNode,
  readAppsPath,
  type Sessions,
  updateNode,
} from '#/nodes/api.ts'

export interface SettingsDeps {
  readonly store: Store
  readonly sessions: Sessions
  readonly placements: Pick<CheckoutPaths, 'pathsOn'>
  /** Paths that nobody may choose besides the fixed ones, such as the gateway's own checkout (NODE-107). */
  readonly protectedPaths: readonly string[]
}

/** Stores the root of development checkouts once the Node has accepted it; checkouts that exist stay where they are (NODE-105). */
export const makeSettings =
  (deps: SettingsDeps): Handler<'node:settings'> =>
  async ({ call, input, found }) => {
    const path = readAppsPath(input.settings)
    if (path === undefined) throw fail('node.settings_invalid')
    return holdingNode(deps.store, call, found?.node ?? input.node, async (node) => {
      if (path !== null) await requireUsableAppsPath(deps, call, node, path)
      call.locks.requireHeld()
      if (node.apps_path === path) return { data: presentNode(node) }
      await updateNode(deps.store.db, node.id, { apps_path: path })
      const stored = await publishNode(deps.store.db, call, node.id)
      return { data: presentNode(stored ?? { ...node, apps_path: path }) }
    })
  }

/** Throws what refuses a path, by its form, by the record, and by the Node itself. */
export async function requireUsableAppsPath(
  deps: Pick<SettingsDeps, 'sessions' | 'placements' | 'protectedPaths'>,
  call: Call,
  node: NodeRecord,
  path: string,
): Promise<void> {
  const checkoutPaths = await deps.placements.pathsOn(node.id)
  const facts = { userHome: node.user_home, protectedPaths: deps.protectedPaths, checkoutPaths }
  const refusal = appsPathRefusal(path, facts)
  if (refusal) throw fail(refusal)
  const identity = { id: node.id, name: node.name }
  if (node.status !== 'active') throw fail('node.not_active', { details: { node: identity } })
  const mayCreate = node.activeRoles.includes('app-dev')
  await deps.sessions.overTunnel(call, node).ask(checkAppsRoot, { path, mayCreate })
}
