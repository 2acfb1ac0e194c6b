import * as z from 'zod'
import { id, nullableId, uuid } from '../params.ts'
import { type DoctorCode, doctorCodes, issueKinds } from './codes/index.ts'

/** What Doctor looks at, in the order of a report (DRF-011). */
export const doctorFamilies = [
  'node',
  'role',
  'project',
  'instance',
  'schedule',
  'tool',
  'process',
  'firewall',
  'database_connection',
  'route',
] as const
export type DoctorFamily = (typeof doctorFamilies)[number]

const codes = Object.keys(doctorCodes) as [DoctorCode, ...DoctorCode[]] // The keys of a table that is not empty.

/**
 * A systemd unit that does not run as it should: its state in words of systemd, and the last lines of its journal, masked and
 * without control characters (decision 0116).
 */
export const unitReport = z.strictObject({
  unit: z.string(),
  state: z.string(),
  journal: z.array(z.string()).max(12),
})
export type UnitReport = z.output<typeof unitReport>

/** One thing that is wrong, or that nobody could look at (DRF-009). Expected and observed are words and numbers of Fleet's own (DRF-014). */
export const doctorIssue = z.strictObject({
  code: z.enum(codes),
  kind: z.enum(issueKinds),
  /** What the issue is about: `node`, `role`, `firewall_rule`, … */
  resource_type: z.string(),
  /** Null for what has no record, such as a rule of Fleet's own. */
  resource_id: z.union([nullableId, uuid]),
  resource_name: z.string(),
  summary: z.string(),
  expected: z.string().nullable(),
  observed: z.string().nullable(),
  /** Another Node that has to be repaired, such as the Router before an Instance. */
  related_node_id: id.optional(),
  /** The unit that does not run and why, where the issue is about one. */
  service: unitReport.optional(),
})
export type DoctorIssue = z.output<typeof doctorIssue>

/**
 * `drift` wins over `unverifiable`: what was seen to be wrong is wrong whatever else could not be seen. `not_inspected`:
 * no check of the family applies to this Node, so nothing is known about it.
 */
export const familyStatuses = ['healthy', 'drift', 'unverifiable', 'not_inspected'] as const

export const doctorFamilyReport = z.strictObject({
  family: z.enum(doctorFamilies),
  status: z.enum(familyStatuses),
  /** Checks that were made. */
  checked: z.int().min(0),
  issues: z.array(doctorIssue),
})
export type DoctorFamilyReport = z.output<typeof doctorFamilyReport>

export const doctorNodeReport = z.strictObject({
  node_id: id,
  node_name: z.string(),
  /** At least one family was inspected, and none of those has an issue. */
  healthy: z.boolean(),
  families: z.array(doctorFamilyReport),
})
export type DoctorNodeReport = z.output<typeof doctorNodeReport>

const count = z.int().min(0)

/** Answer of `POST /doctor` (DRF-005 to DRF-009). */
export const doctorReport = z.strictObject({
  healthy: z.boolean(),
  summary: z.strictObject({
    nodes: count,
    /** Families that were requested, each counted once whatever the number of Nodes. */
    families: count,
    checks: count,
    drift: count,
    unverifiable: count,
  }),
  nodes: z.array(doctorNodeReport),
})
export type DoctorReport = z.output<typeof doctorReport>
