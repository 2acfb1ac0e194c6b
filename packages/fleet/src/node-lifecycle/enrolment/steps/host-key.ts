import { fail } from '@fleet/contract'
import { findOpenPath, publicAddressOf, scanHostKey } from '#/node-lifecycle/open-path.ts'
import { requireFirst } from '../guards.ts'
import { learn, type Provisioning } from '../provisioning.ts'

/**
 * Step 1, before any other contact: the key that the machine presents is the approved and the pinned one (NODE-050,
 * NODE-077). Nobody logs in for it.
 */
export async function approveHostKey(provisioning: Provisioning): Promise<void> {
  const { input, node } = provisioning
  const observed = await scanOpenPath(provisioning)
  const approved = input.host_key_fingerprint ?? undefined
  if (approved !== undefined && observed !== approved) throw fail('node.ssh_host_key_mismatch')
  const pinned = node.ssh_host_fingerprint
  if (pinned !== null && observed !== pinned) throw fail('node.ssh_host_key_changed')
  if (pinned !== null) return
  await learn(provisioning, { ssh_host_fingerprint: observed })
  try {
    await requireFirst(provisioning.deps, node, observed)
  } catch (error) {
    // Whoever repeats it is refused for the machine again, not taken for its Node.
    await learn(provisioning, { ssh_host_fingerprint: null })
    throw error
  }
}

/** A known Node whose tunnel is silent is asked at its public address; what it presents there must be its pinned key as well. */
async function scanOpenPath(provisioning: Provisioning): Promise<string> {
  const { deps, call, node, isOverTunnel } = provisioning
  if (!isOverTunnel) return scanHostKey(deps.ssh, call, publicAddressOf(node))
  const { path, fingerprint } = await findOpenPath(deps, call, node)
  provisioning.isOverTunnel = path === 'tunnel'
  return fingerprint
}
