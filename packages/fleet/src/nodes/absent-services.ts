import { fail } from '@fleet/contract'
import type { NodeServices } from '#/nodes/ports.ts'

const refuse = (): Promise<never> => Promise.reject(fail('node.capability_missing'))
const nothingOwned = (): Promise<number> => Promise.resolve(0)

/**
 * Services of a fleet without a private network, such as the embedded one: whatever would change a machine is refused
 * with `node.capability_missing`, and enrolment asks the tunnel before anything else.
 */
export const absentServices: NodeServices = {
  firewall: {
    bootstrap: refuse,
    admitMembers: refuse,
    openPublicSsh: refuse,
    closePublicSsh: refuse,
    applyRole: refuse,
    withdrawRole: refuse,
  },
  tunnel: {
    requireConfigured: refuse,
    allocate: refuse,
    join: refuse,
    publish: refuse,
    leave: refuse,
    rejoin: refuse,
    applyResolver: refuse,
  },
  dns: { publish: refuse, publishWithout: refuse },
  roles: {
    requireCapable: refuse,
    convergence: () => [{ name: 'capability', run: refuse }],
    removal: () => [{ name: 'capability', run: refuse }],
  },
  agent: { converge: refuse, digest: refuse, remove: refuse },
  artifacts: [],
  exporters: { reconcile: refuse, withdraw: refuse, revokeAccess: refuse },
  toolManagers: { ensureApt: refuse },
  membership: {
    requireAttachable: refuse,
    attach: refuse,
    detach: refuse,
    withdrawLanAccess: refuse,
    updateLanAccess: refuse,
    tldOf: () => Promise.resolve(null),
  },
  owned: {
    instances: nothingOwned,
    routes: nothingOwned,
    dependentRoutes: nothingOwned,
    schedules: nothingOwned,
    processes: nothingOwned,
    firewallRules: nothingOwned,
    databaseServers: nothingOwned,
    dropProcesses: () => Promise.resolve(),
  },
}
