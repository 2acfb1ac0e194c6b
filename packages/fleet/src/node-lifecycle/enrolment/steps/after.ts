import { fail } from '@fleet/contract'
import { readAppsPath, updateNode } from '#/nodes/api.ts'
import { trustingAgent } from '#/node-lifecycle/agent.ts'
import { requireUsableAppsPath } from '#/node-lifecycle/settings.ts'
import { type Provisioning, tunnelSession } from '../provisioning.ts'

/** Step 8, on the active Node (NODE-057). */
export async function storeSettings(provisioning: Provisioning): Promise<void> {
  const { deps, call, node, input } = provisioning
  const path = readAppsPath(input.settings)
  if (path === undefined) throw fail('node.settings_invalid')
  if (path !== null) await requireUsableAppsPath(deps, call, node, path)
  await updateNode(deps.store.db, node.id, { apps_path: path })
  provisioning.node = { ...node, apps_path: path }
}

/** Step 9: what fails here leaves the Node active and its metrics degraded (NODE-058). */
export async function reconcileExporters({ deps, call, node }: Provisioning): Promise<void> {
  try {
    await deps.services.exporters.reconcile(call, node)
  } catch (error) {
    call.note.property('metrics', 'degraded')
    throw error
  }
}

/** Step 10 (NODE-059). */
export async function installAgent(provisioning: Provisioning): Promise<void> {
  await trustingAgent(provisioning.deps.services).converge(tunnelSession(provisioning), { force: false })
}
