import { type InputOf, invalid, type OutputOf } from '@fleet/contract'
import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { Handler, Outcome } from '#/handler.ts'
import {
  findRole,
  holdingRoles,
  presentRole,
  type RoleRow,
  type RoleSettings,
  type RoleStep,
  publishNode,
} from '#/nodes/api.ts'
import { requireFree } from '#/roles/claims.ts'
import { convergeHeld } from '#/roles/converge.ts'
import { exporters } from '#/roles/exporters.ts'
import { asOnlyIngress } from '#/roles/ingress.ts'
import { roleAddRefusal } from '#/roles/rules.ts'
import { requireActive, requireSession, type RoleOperationDeps, roleContextOf } from '#/roles/subject.ts'

type Input = InputOf<'node:role:add'>

/**
 * Assigns a role to a Node. An active one does not change unless `converge_existing` is set; one whose convergence
 * failed or was interrupted resumes (ROLE-016, ROLE-023, ROLE-024).
 */
export const makeRoleAdd =
  (deps: RoleOperationDeps): Handler<'node:role:add'> =>
  async ({ call, input }) => {
    call.note.property('role', input.role)
    requireOptions(input)
    const adding = (): Promise<Added> =>
      holdingRoles(deps.store, call, input.node, () => addHeld(deps, call, input))
    if (input.role !== 'ingress') return adding()
    await requireAllowed(deps.store.db, input)
    return asOnlyIngress(deps.store, call, input.node, adding)
  }

type Added = Outcome<OutputOf<'node:role:add'>>

async function addHeld(deps: RoleOperationDeps, call: Call, input: Input): Promise<Added> {
  await requireAllowed(deps.store.db, input)
  const stored = await findRole(deps.store.db, input.node, input.role)
  if (stored?.status === 'active' && !input.converge_existing)
    return { data: { ...presentRole(stored), follow_up: null } }
  const notes = await converge(deps, call, input, stored)
  const row = await findRole(deps.store.db, input.node, input.role)
  await publishNode(deps.store.db, call, input.node)
  if (notes.length > 0) call.note.property('follow_up', notes)
  const data = { ...presentRole(row ?? missing()), follow_up: notes.join(' ') || null }
  return { data, created: stored === undefined }
}

/** The two Processes belong to `analytics` and to nothing else (ROLE-012, ROLE-016). */
function requireOptions({ role, postgres_process_id, clickhouse_process_id }: Input): void {
  const given = { postgres_process_id, clickhouse_process_id }
  const isWrong = (value: number | undefined): boolean => (value === undefined) === (role === 'analytics')
  const rule = role === 'analytics' ? 'is required for analytics' : `is not an option of ${role}`
  const wrong = Object.entries(given).filter(([, value]) => isWrong(value))
  if (wrong.length > 0) throw invalid(Object.fromEntries(wrong.map(([name]) => [name, [rule]])))
}

async function requireAllowed(db: Database, input: Input): Promise<void> {
  const standing = await roleContextOf(db, input.node, input.role)
  const refusal = roleAddRefusal(input.role, standing, { again: input.converge_existing ?? false })
  if (refusal) throw refusal
}

async function converge(
  deps: RoleOperationDeps,
  call: Call,
  input: Input,
  stored: RoleRow | undefined,
): Promise<readonly string[]> {
  const { store, clock, services } = deps
  const { node: nodeId, role } = input
  const node = await requireActive(store.db, nodeId)
  requireFree(stored, 'converge', clock)
  const session = await requireSession(deps, call, node)
  await services.roles.requireCapable(session, role)
  const answers: RoleStep = { name: 'private-dns', run: () => services.dns.publish(call) }
  const further = [answers, exporters(() => services.exporters.reconcile(call, node))]
  return convergeHeld(deps, session, role, {
    settings: settingsOf(input),
    further,
    requireAllowed: (db) => requireAllowed(db, input),
  })
}

const settingsOf = ({ postgres_process_id, clickhouse_process_id }: Partial<Input>): RoleSettings => ({
  ...(postgres_process_id === undefined ? {} : { postgres_process_id }),
  ...(clickhouse_process_id === undefined ? {} : { clickhouse_process_id }),
})

const missing = (): never => {
  throw new Error('the assignment is gone although its lock is held')
}
