import { fail, type RoleName } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Database, Store } from '@fleet/store'
import {
  changeClaimed,
  claimRole,
  findRole,
  type NodeSession,
  putRoleSettings,
  type RoleRow,
  type RoleSettings,
  type RoleStep,
} from '#/nodes/api.ts'
import type { Exporters, OwnedRecords } from '#/roles/ports.ts'
import type { RoleServices } from '#/roles/services.ts'
import type { NodeFirewall } from '#/firewall/api.ts'
import type { Tunnel } from '#/network/api.ts'
import type { PrivateDns } from '#/dns/api.ts'
import { grantGatewayAccess } from '#/roles/automatic-grants.ts'
import { claimOf, requireFree } from '#/roles/claims.ts'
import { runRoleSteps } from '#/roles/role-steps.ts'

/** The domains that a change of a role acts through. */
export interface RoleDependencies {
  readonly firewall: NodeFirewall
  readonly tunnel: Tunnel
  readonly dns: PrivateDns
  readonly roles: RoleServices
  readonly exporters: Exporters
  readonly owned: OwnedRecords
}

export interface RoleParts {
  readonly store: Store
  readonly clock: Clock
  readonly services: RoleDependencies
}

export interface ConvergeOptions {
  /** Added to the sealed settings of the assignment; what is stored already is never overwritten. */
  readonly settings?: RoleSettings
  /** Further steps before the role counts as active, such as the answers of the private DNS. */
  readonly further?: readonly RoleStep[]
  /** The caller applies the resolver itself, where it must not fail the role (NODE-132). */
  readonly ownResolver?: true
  /** Stored in one transaction with the role becoming active. */
  readonly commit?: (db: Database) => Promise<void>
}

/**
 * Makes a role work on a Node whose role lock the caller holds: claims the assignment, runs each step, reported as
 * `role:<step>`, and leaves it `active`. Safe to repeat. The first active role closes public SSH and moves the Node to
 * managed DNS (NODE-066). Returns, as sentences, what failed without failing the role. Throws `node_role.converging`,
 * `node_role.removing`, `node.lock_lost`, and `node_role.convergence_failed` with `details.step` and
 * `details.error_code`, which are then stored on the assignment.
 */
export async function convergeHeld(
  parts: RoleParts,
  session: NodeSession,
  role: RoleName,
  { settings, further = [], commit, ownResolver }: ConvergeOptions = {},
): Promise<readonly string[]> {
  const { store, clock, services } = parts
  const { id } = session.node
  requireFree(await findRole(store.db, id, role), 'converge', clock)
  session.call.locks.requireHeld()
  const claim = await claimRole(store.db, claimOf(id, role, 'provisioning', clock))
  if (settings) await putRoleSettings(store, claim, settings)
  const steps = [...convergenceSteps(services, session, role, ownResolver === true), ...further]
  const work = { store, kind: 'converge', session, claim, steps } as const
  const missed = await runRoleSteps(work)
  session.call.locks.requireHeld()
  await activate(parts, claim, commit)
  return missed.has(RESOLVER) ? [RESOLVER_UNSET] : []
}

const RESOLVER = 'managed-dns'
export const RESOLVER_UNSET = 'The resolver of a Node could not be configured; run Doctor for details.'

/** What makes the role work on this Node; with `ownResolver` the caller applies the resolver. */
export const convergenceSteps = (
  services: RoleDependencies,
  session: NodeSession,
  role: RoleName,
  ownResolver: boolean,
): readonly RoleStep[] => [
  ...services.roles.convergence(role),
  ...activationSteps(services, session, role).filter(({ name }) => !(ownResolver && name === RESOLVER)),
]

/**
 * A Node without another active role still has public SSH and its own DNS (NODE-066). The resolver is looked at each time:
 * converging a role again is what mends it. The gateway's own machine works without it (NODE-132).
 */
function activationSteps(
  { firewall, tunnel }: RoleDependencies,
  { node }: NodeSession,
  role: RoleName,
): readonly RoleStep[] {
  const isFirst = node.activeRoles.every((other) => other === role)
  const isOptional = role === 'gateway' || node.activeRoles.includes('gateway')
  return [
    ...(isFirst
      ? [{ name: 'public-ssh', run: (session: NodeSession) => firewall.closePublicSsh(session) }]
      : []),
    { name: RESOLVER, isOptional, run: async (session) => void (await tunnel.applyResolver(session, true)) },
  ]
}

async function activate(
  { store, clock }: RoleParts,
  claim: RoleRow,
  commit: ConvergeOptions['commit'],
): Promise<void> {
  const now = clock.now().toISOString()
  await store.transaction(async (db) => {
    const isOurs = await changeClaimed(db, claim, { status: 'active', claimed_at: null })
    if (!isOurs) throw fail('node.lock_lost')
    await commit?.(db)
    await grantGatewayAccess(db, claim.role, now)
  })
}
