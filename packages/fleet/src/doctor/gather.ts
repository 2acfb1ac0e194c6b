import { type DoctorFamily, doctorFamilies } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { Call } from '#/call.ts'
import { codeOf } from '#/doctor/issues.ts'
import { type Check, type FamilyChecks, type NodeRecord, nodeResource, stored } from '#/nodes/api.ts'

export type ChecksByFamily = ReadonlyMap<DoctorFamily, readonly Check[]>

/** The checks of one Node: families in the order of the report, resources by id, those without a record last (DRF-011, DRF-012). */
export async function gatherChecks(
  parts: readonly FamilyChecks[],
  wanted: ReadonlySet<DoctorFamily>,
  call: Call,
  node: NodeRecord,
): Promise<ChecksByFamily> {
  const gathered = new Map<DoctorFamily, readonly Check[]>()
  for (const family of doctorFamilies.filter((one) => wanted.has(one))) {
    const lists = await Promise.all(
      parts.filter((part) => part.family === family).map((part) => checksOf(part, call, node)),
    )
    gathered.set(family, lists.flat().filter(isForMachine(node)).toSorted(byResource))
  }
  return gathered
}

/** Nodes of an embedded fleet are directories of one machine: there is no root to ask, and no tunnel, agent or firewall to ask for. */
const isForMachine = ({ wireguard_ip: address }: NodeRecord): ((check: Check) => boolean) =>
  address?.startsWith('127.') === true ? ({ kind }) => kind === 'stored' : () => true

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
