import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { readAppsPath, updateNode } from '#/nodes/api.ts'
import { trustingAgent } from '#/node-lifecycle/agent.ts'
import { requireUsableAppsPath } from '#/node-lifecycle/settings.ts'
import { type Provisioning, tunnelMachine } from '../provisioning.ts'
import type { StepWatch } from '../step-watch.ts'

/** Step 8, on the active Node (NODE-057). */
export async function storeSettings(provisioning: Provisioning): Promise<void> {
  const { parts, call, node, input } = provisioning
  const path = readAppsPath(input.settings)
  if (path === undefined) throw fail('node.settings_invalid')
  if (path !== null) await requireUsableAppsPath(parts, call, node, path)
  await updateNode(parts.store.db, node.id, { apps_path: path })
  provisioning.node = { ...node, apps_path: path }
}

/** Step 9: what fails here leaves the Node active and its metrics degraded (NODE-058). */
export async function reconcileExporters(provisioning: Provisioning, watch: StepWatch): Promise<void> {
  const { parts, call, node } = provisioning
  try {
    await parts.services.exporters.reconcile(call, node)
  } catch (error) {
    if (error instanceof CodedError && error.code === 'node.lock_lost') throw error
    watch.failedQuietly('metrics-exporters')
    call.note.property('metrics', 'degraded')
    call.log('the metrics exporters of a Node were not reconciled', {
      node: node.id,
      code: error instanceof CodedError ? error.code : 'http.500',
    })
  }
}

/** Step 10 (NODE-059). */
export async function installAgent(provisioning: Provisioning): Promise<void> {
  await trustingAgent(provisioning.parts.services).converge(tunnelMachine(provisioning), { force: false })
}
