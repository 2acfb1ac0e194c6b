import { type DoctorCode, type DoctorFamily, doctorFamilies } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { Call } from '#/call.ts'
import { codeOf } from '#/doctor/issues.ts'
import {
  type Check,
  type FamilyChecks,
  isEmbedded,
  type NodeRecord,
  nodeResource,
  stored,
} from '#/nodes/api.ts'

export type ChecksByFamily = ReadonlyMap<DoctorFamily, readonly Check[]>

export interface Checked {
  readonly families: readonly FamilyChecks[]
  readonly instances: {
    /** Ids of Instances whose removal was accepted, on any Node. */
    leaving(): Promise<ReadonlySet<number>>
  }
}

/** The checks of one Node: families in the order of the report, resources by id, those without a record last (DRF-011, DRF-012). */
export async function gatherChecks(
  { families: parts, instances }: Checked,
  wanted: ReadonlySet<DoctorFamily>,
  call: Call,
  node: NodeRecord,
): Promise<ChecksByFamily> {
  const gathered = new Map<DoctorFamily, readonly Check[]>()
  const leaving = wanted.has('instance') ? await instances.leaving() : NONE
  const isMade = (check: Check): boolean =>
    isForRecord(node, check) && isForMachine(node, check) && isForInstance(leaving, check)
  for (const family of doctorFamilies.filter((one) => wanted.has(one))) {
    const lists = await Promise.all(
      parts.filter((part) => part.family === family).map((part) => checksOf(part, call, node)),
    )
    gathered.set(family, lists.flat().filter(isMade).toSorted(byResource))
  }
  return gathered
}

const NONE: ReadonlySet<number> = new Set()

/** Families of which the Node itself is the resource. */
const OF_NODES: ReadonlySet<DoctorFamily> = new Set(['node', 'firewall'])

/** Whether these checks are of a resource of the family: what somebody may have left on a Node is none (DRF-013). */
export const haveResource = (family: DoctorFamily, checks: readonly Check[]): boolean =>
  OF_NODES.has(family) ? checks.length > 0 : checks.some(({ resource: { type } }) => type !== 'node')

/** Without a pinned key nobody was ever on the machine, and nothing of it is recorded but its lifecycle (DRF-028). */
const isForRecord = (
  { platform, ssh_host_fingerprint: key, activeRoles }: NodeRecord,
  { code }: Check,
): boolean =>
  platform === 'macos' || key !== null || activeRoles.length > 0 || code === 'node.lifecycle_not_active'

/** Nodes of an embedded fleet are directories of one machine: there is no root to ask, and no tunnel, agent or firewall to ask for. */
const isForMachine = (node: NodeRecord, { kind }: Check): boolean => !isEmbedded(node) || kind === 'stored'

/** What a removal has taken away already is no drift; only the removal itself is checked (DOC-025, DOC-026). */
const isForInstance = (leaving: ReadonlySet<number>, { code, resource: { type, id } }: Check): boolean =>
  type !== 'instance' || typeof id !== 'number' || !leaving.has(id) || OF_REMOVALS.has(code)

const OF_REMOVALS: ReadonlySet<DoctorCode> = new Set([
  'instance.removal_stuck',
  'instance.lifecycle_not_active',
])

/**
 * A part with inconsistent records is reported like a failed check; the others, and other Nodes, are still inspected.
 */
async function checksOf(part: FamilyChecks, call: Call, node: NodeRecord): Promise<readonly Check[]> {
  try {
    return await part.checksOf(call, node)
  } catch (error) {
    const code = codeOf(part.family, 'inspection_failed')
    if (!(error instanceof CodedError) || !code) throw error
    return [stored(code, nodeResource(node), () => ({ unverifiable: error.code }))]
  }
}

/** Numbers before texts, and what has no record last. */
const byResource = ({ resource: a }: Check, { resource: b }: Check): number => {
  if (a.id === b.id) return compare(a.name, b.name)
  if (typeof a.id === 'string' && typeof b.id === 'string') return compare(a.id, b.id)
  return rankOf(a.id) - rankOf(b.id)
}

const rankOf = (id: number | string | null): number =>
  typeof id === 'number' ? id : id === null ? Infinity : Number.MAX_SAFE_INTEGER

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
