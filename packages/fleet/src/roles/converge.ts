import { fail, type RoleName } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Database, Store } from '@fleet/store'
import {
  changeClaimed,
  claimRole,
  findRole,
  lockAssignments,
  type NodeSession,
  putRoleSettings,
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
import { type RoleSide, runRoleSteps, type SideStep } from '#/roles/role-steps.ts'

/** The domains that a change of a role acts through. */
export interface RoleDependencies {
  readonly firewall: NodeFirewall
  readonly tunnel: Tunnel
  readonly dns: PrivateDns
  readonly roles: RoleServices
  readonly exporters: Exporters
  readonly owned: OwnedRecords
}

export interface RoleDeps {
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
  /** Asked in the transaction of the claim: another request may have claimed a role on this or another Node meanwhile. */
  readonly requireAllowed?: (db: Database) => Promise<void>
  /** Stored in one transaction with the claim. */
  readonly onClaim?: (db: Database) => Promise<void>
  /** Stored in one transaction with the role becoming active. */
  readonly onActive?: (db: Database) => Promise<void>
}

/**
 * Makes a role work on a Node whose role lock the caller holds: claims the assignment, runs each step, reported as
 * `role:<step>`, and leaves it `active`. Safe to repeat. The first active role closes public SSH and moves the Node to
 * managed DNS (NODE-066). Returns, as sentences, what its steps want known and what failed without failing the role. Throws `node_role.converging`,
 * `node_role.removing`, `node.lock_lost`, and `node_role.convergence_failed` with `details.step` and
 * `details.error_code`, which are then stored on the assignment.
 */
export async function convergeHeld(
  deps: RoleDeps,
  session: NodeSession,
  role: RoleName,
  options: ConvergeOptions = {},
): Promise<readonly string[]> {
  const { store } = deps
  requireFree(await findRole(store.db, session.node.id, role), 'converge', deps.clock)
  const steps = convergenceOf(deps, session, role, options)
  const missed = await runRoleSteps({ store, call: session.call, steps })
  return [...(steps[0]?.side.said ?? []), ...(missed.has(`converge:${RESOLVER}`) ? [RESOLVER_UNSET] : [])]
}

/** From the claim on the assignment to the active role, for an assignment that is free. */
export function convergenceOf(
  deps: RoleDeps,
  session: NodeSession,
  role: RoleName,
  options: ConvergeOptions = {},
): readonly SideStep[] {
  const side: RoleSide = { kind: 'converge', role, session, said: [] }
  const steps = convergenceSteps(deps.services, session, role, options.ownResolver === true)
  return [
    { side, isRecord: true, name: 'claim', run: () => claim(deps, side, options) },
    ...[...steps, ...(options.further ?? [])].map((step) => ({ ...step, side })),
    { side, isRecord: true, name: 'activate', run: () => activate(deps, side, options) },
  ]
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

async function claim({ store, clock }: RoleDeps, side: RoleSide, options: ConvergeOptions): Promise<void> {
  const wanted = claimOf(side.session.node.id, side.role, 'provisioning', clock)
  side.claim = await store.transaction(async (db) => {
    if (options.requireAllowed) {
      await lockAssignments(db)
      await options.requireAllowed(db)
    }
    const row = await claimRole(db, wanted)
    if (options.settings) await putRoleSettings({ ...store, db }, row, options.settings)
    await options.onClaim?.(db)
    return row
  })
}

async function activate(
  { store, clock, services }: RoleDeps,
  side: RoleSide,
  options: ConvergeOptions,
): Promise<void> {
  const now = clock.now().toISOString()
  const { claim: row } = side
  // A repeat of the step finds it done.
  if (!row) return
  await store.transaction(async (db) => {
    const isOurs = await changeClaimed(db, row, { status: 'active', claimed_at: null })
    if (!isOurs) throw fail('node.lock_lost')
    await options.onActive?.(db)
    await services.roles.onActive(db, side.session.node, side.role)
    await grantGatewayAccess(db, row.role, now)
  })
  side.claim = undefined
}
