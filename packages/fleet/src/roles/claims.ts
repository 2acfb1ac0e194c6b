import { fail, type RoleAssignmentData, type RoleName } from '@fleet/contract'
import { type Clock, CodedError } from '@fleet/kernel'
import type { RoleRow } from '#/nodes/api.ts'

type RoleStatus = RoleAssignmentData['status']
type Ask = 'converge' | 'remove'
type Verdict = 'free' | 'converging' | 'removing'

/** The lease of the role lock and a minute: nobody who holds it can still be at work then (ROLE-022). */
export const STALE_CLAIM_MILLISECONDS = 660_000

/**
 * Who may work on an assignment that is stored, said of one whose lock the asker holds. `claimed` depends on the age of
 * the claim, `failed` on the work that failed (ROLE-023, ROLE-024, ROLE-029).
 */
const BY_STATUS = {
  active: { converge: 'free', remove: 'free' },
  provisioning: { converge: 'claimed', remove: 'claimed' },
  removing: { converge: 'removing', remove: 'claimed' },
  failed: { converge: 'unless-removal-failed', remove: 'free' },
} as const satisfies Record<
  RoleStatus,
  Record<Ask, 'free' | 'claimed' | 'removing' | 'unless-removal-failed'>
>

/** What prevents the work; `free` when nothing does. */
export function verdictOn(row: RoleRow, ask: Ask, now: Date): Verdict {
  const status = row.status
  const rule = BY_STATUS[status][ask]
  if (rule === 'claimed') return isStaleClaim(row, now) ? 'free' : busy(status)
  if (rule === 'unless-removal-failed') return row.failed_step?.startsWith('remove:') ? 'removing' : 'free'
  return rule
}

/** A claim without a time was made by somebody who is long gone. */
export const isStaleClaim = ({ claimed_at }: Pick<RoleRow, 'claimed_at'>, now: Date): boolean =>
  claimed_at === null || now.getTime() - Date.parse(claimed_at) >= STALE_CLAIM_MILLISECONDS

/** Throws `node_role.converging` or `node_role.removing` with the role. */
export function requireFree(row: RoleRow | undefined, ask: Ask, clock: Clock): void {
  const verdict = row ? verdictOn(row, ask, clock.now()) : 'free'
  if (verdict !== 'free') throw fail(`node_role.${verdict}`, { details: { role: row?.role } })
}

/** The code that stays on an assignment whose step failed. */
export const codeOf = (error: unknown): string => (error instanceof CodedError ? error.code : 'http.500')

/** The row as it is while a piece of work has it. */
export const claimOf = (
  nodeId: number,
  role: RoleName,
  status: 'provisioning' | 'removing',
  clock: Clock,
): {
  readonly node_id: number
  readonly role: RoleName
  readonly status: 'provisioning' | 'removing'
  readonly claimed_at: string
  readonly created_at: string
} => {
  const now = clock.now().toISOString()
  return { node_id: nodeId, role, status, claimed_at: now, created_at: now }
}

const busy = (status: RoleStatus): Verdict => (status === 'removing' ? 'removing' : 'converging')
