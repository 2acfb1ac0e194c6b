import { type Step, stepList } from '@fleet/steps'
import { type Provisioning, rollBack, tunnelSession } from '../provisioning.ts'
import { installAgent, reconcileExporters, storeSettings } from './after.ts'
import { bootstrap } from './bootstrap.ts'
import { approveHostKey } from './host-key.ts'
import { judgeMachine, logIn, type Seen } from './login.ts'
import { admitMembers, joinTunnel, rejoinAsBefore } from './network.ts'
import { activate, restoreRecord, storeRecord } from './record.ts'
import { convergeRequested, restoreRole } from './roles.ts'

type ProvisioningStep = Step<Provisioning>

/**
 * The ten steps of an enrolment in their order (NODE-050 to NODE-059). Each may be repeated, so a repeated request runs
 * all of them again. Those of an active Node are undone until it is `active` again; a new Node keeps what was created,
 * and the identical request resumes there.
 */
export const nodeEnrolment = stepList<Provisioning>(
  'node-enrolment',
  (provisioning) => {
    const { deps, input, earlier } = provisioning
    return [
      { name: 'ssh-host-key', run: approveHostKey },
      { name: 'bootstrap', run: bootstrap },
      ...loginSteps(),
      { name: 'wireguard', run: joinTunnel, ...undo(earlier, rejoinAsBefore) },
      { name: 'wireguard-members', run: admitMembers },
      { name: 'tool-manager', run: (p) => deps.services.toolManagers.ensureApt(tunnelSession(p)) },
      ...roleSteps(provisioning),
      ...(earlier ? [{ name: 'record', run: storeRecord, ...undo(earlier, restoreRecord) }] : []),
      ...clusterSteps(provisioning),
      ...lanSiteSteps(provisioning),
      ...domainSteps(provisioning),
      { name: 'private-dns', run: ({ call }) => deps.services.dns.publish(call) },
      { name: 'active', commits: true, run: activate },
      ...lanNameSteps(provisioning),
      ...(input.settings === undefined ? [] : [{ name: 'settings', run: storeSettings }]),
      { name: 'metrics-exporters', isOptional: true, run: reconcileExporters },
      { name: 'agent', run: installAgent },
    ]
  },
  { forwardOnly: ({ earlier }) => earlier === undefined },
)

const loginSteps = (): readonly ProvisioningStep[] => {
  const seen: Seen = { system: '', architecture: '' }
  return [
    { name: 'fleet-ssh', run: (p) => logIn(p, seen) },
    { name: 'machine-architecture', run: (p) => judgeMachine(p, seen) },
  ]
}

const roleSteps = ({ roles, earlier, earlierRoles }: Provisioning): readonly ProvisioningStep[] =>
  roles.map((role) => ({
    name: `role:${role}`,
    run: (p) => convergeRequested(p, role),
    ...undo(earlier, (p, node) => restoreRole(p, role, { node, roles: earlierRoles })),
  }))

const clusterSteps = ({ deps, node, earlier, input }: Provisioning): readonly ProvisioningStep[] => {
  const { membership } = deps.services
  const lanAccess: ProvisioningStep = {
    name: 'router-lan-access',
    run: (p) => membership.updateLanAccess(p.call, p.node),
    ...undo(earlier, (p, before) =>
      rollBack(p, 'router-lan-access', () => membership.updateLanAccess(p.call, before)),
    ),
  }
  const clusterId = input.cluster_id ?? null
  if (clusterId === null) return [lanAccess]
  const isNew = earlier?.cluster_id === null
  const attach: ProvisioningStep = {
    name: 'cluster',
    run: (p) => membership.attach(p.call, clusterId, node.id),
    ...undo(isNew ? earlier : undefined, (p) =>
      rollBack(p, 'cluster', () => membership.detach(p.call, clusterId, node.id)),
    ),
  }
  return [attach, lanAccess]
}

/**
 * Once the LAN admits it there: the sites on every Node that leads to this one, or that this one leads to. Also where the
 * address is recorded already: a request that died may have come no further.
 */
const lanSiteSteps = ({ deps, earlier, node, input }: Provisioning): readonly ProvisioningStep[] =>
  earlier === undefined || (earlier.lan_ip === node.lan_ip && input.lan_ip === undefined)
    ? []
    : [{ name: 'lan-sites', run: ({ call }) => deps.services.routes.followLan(call, node) }]

/** Last before the commit point: what it has replaced is not replaced back (RTX-039). */
const domainSteps = ({ deps, earlier, isBehind, node }: Provisioning): readonly ProvisioningStep[] =>
  earlier === undefined || !(isBehind || earlier.tld !== node.tld)
    ? []
    : [{ name: 'routes', run: (p) => deps.services.routes.followTld(p.call, earlier, p.node) }]

/** Names are answered with LAN addresses to and for active members only, so a new member is published once more. */
const lanNameSteps = ({ deps, node, earlier }: Provisioning): readonly ProvisioningStep[] =>
  earlier !== undefined || node.cluster_id === null || node.lan_ip === null
    ? []
    : [{ name: 'cluster-dns', run: ({ call }) => deps.services.dns.publish(call) }]

/** Only an active Node has something to return to. */
const undo = (
  earlier: Provisioning['earlier'],
  work: (provisioning: Provisioning, earlier: NonNullable<Provisioning['earlier']>) => Promise<void>,
): Pick<ProvisioningStep, 'undo'> => (earlier ? { undo: (p) => work(p, earlier) } : {})
