import type { DoctorFamily, DoctorFamilyReport, DoctorIssue, DoctorNodeReport } from '@fleet/contract'
import type { SshPool } from '@fleet/ssh'
import type { Call } from '#/call.ts'
import { askAll } from '#/doctor/ask.ts'
import { gatherChecks } from '#/doctor/gather.ts'
import { codeOf, issue, issuesOf } from '#/doctor/issues.ts'
import { judge, type Live } from '#/doctor/judge.ts'
import { answers } from '#/doctor/reach.ts'
import { type Check, type FamilyChecks, type NodeRecord, nodeResource, type Nodes } from '#/nodes/api.ts'

export interface ExamineParts {
  readonly nodes: Pick<Nodes, 'machines'>
  readonly ssh: Pick<SshPool, 'probe'>
  readonly families: readonly FamilyChecks[]
}

/** One Node: what the records tell, then, when it answers, everything that has to be looked at. */
export async function examine(
  parts: ExamineParts,
  wanted: ReadonlySet<DoctorFamily>,
  call: Call,
  node: NodeRecord,
): Promise<DoctorNodeReport> {
  const checks = await gatherChecks(parts.families, wanted, call, node)
  const live = await connect(parts, call, node, [...checks.values()].flat().filter(isLive))
  const families = await Promise.all(
    [...checks].map(([family, own]) => familyReport(family, own, call, node, live)),
  )
  return {
    node_id: node.id,
    node_name: node.name,
    healthy: families.every(({ status }) => status === 'healthy'),
    families,
  }
}

const isLive = ({ kind }: Check): boolean => kind !== 'stored'

/** Undefined when nothing has to be looked at. */
async function connect(
  { nodes, ssh }: ExamineParts,
  call: Call,
  node: NodeRecord,
  live: readonly Check[],
): Promise<Live | 'unreachable' | undefined> {
  if (live.length === 0) return undefined
  if (!(await answers(ssh, call, node))) return 'unreachable'
  const machine = nodes.machines.overTunnel(call, node)
  const asked = await askAll(machine, live)
  if (asked === 'lost') return 'unreachable'
  return { machine, answers: asked === 'failed' ? new Map() : asked.answers }
}

async function familyReport(
  family: DoctorFamily,
  checks: readonly Check[],
  call: Call,
  node: NodeRecord,
  live: Live | 'unreachable' | undefined,
): Promise<DoctorFamilyReport> {
  const made = live === 'unreachable' ? checks.filter((check) => !isLive(check)) : checks
  const judged = await Promise.all(
    made.map((check) => judge(check, call, live === 'unreachable' ? undefined : live)),
  )
  const issues = issuesOf(family, judged)
  // One line for the family: what nobody could look at is the same for all of its resources (DRF-013).
  const unreachable = made.length < checks.length ? unreachableIssue(family, node) : []
  const probed = family === 'node' && live !== undefined ? 1 : 0
  return {
    family,
    status: statusOf([...issues, ...unreachable]),
    checked: made.length + probed,
    issues: [...issues, ...unreachable],
  }
}

function unreachableIssue(family: DoctorFamily, node: NodeRecord): DoctorIssue[] {
  const code = codeOf(family, 'node_unreachable')
  return code ? [issue(code, nodeResource(node), { expected: 'answers', observed: 'no answer' })] : []
}

const statusOf = (issues: readonly DoctorIssue[]): DoctorFamilyReport['status'] =>
  issues.length === 0 ? 'healthy' : issues.some(({ kind }) => kind === 'drift') ? 'drift' : 'unverifiable'
