import type { DoctorFamily, DoctorFamilyReport, DoctorIssue, DoctorNodeReport } from '@fleet/contract'
import type { SshPool } from '@fleet/ssh'
import type { Call } from '#/call.ts'
import { askAll } from '#/doctor/ask.ts'
import { type Checked, type ChecksByFamily, gatherChecks, haveResource } from '#/doctor/gather.ts'
import { issue, issuesOf, silenceCode } from '#/doctor/issues.ts'
import { judgeAgain, type JudgedByFamily } from '#/doctor/judge-again.ts'
import { judge, type Judged, type Live } from '#/doctor/judge.ts'
import { probe, type Silence } from '#/doctor/reach.ts'
import { type Check, type NodeRecord, nodeResource, type Nodes } from '#/nodes/api.ts'

export interface ExamineDeps extends Checked {
  readonly nodes: Pick<Nodes, 'sessions'>
  readonly ssh: Pick<SshPool, 'probe'>
}

/** One Node: the checks of its records, then, if it answers, everything that must be inspected. */
export async function examine(
  deps: ExamineDeps,
  wanted: ReadonlySet<DoctorFamily>,
  call: Call,
  node: NodeRecord,
): Promise<DoctorNodeReport> {
  const checks = await gatherChecks(deps, wanted, call, node)
  const live = await connect(deps, call, node, [...checks.values()].flat().filter(isLive))
  const judged = await judgeAll(deps, checks, call, node, live)
  const families = [...checks].map(([family, own]) =>
    familyReport(family, own, judged.get(family) ?? [], node, live),
  )
  return {
    node_id: node.id,
    node_name: node.name,
    healthy: isHealthy(families),
    families,
  }
}

/** A Node, or a whole fleet, of which nothing was inspected is not called healthy. */
export const isHealthy = (families: readonly DoctorFamilyReport[]): boolean => {
  const inspected = families.filter(({ status }) => status !== 'not_inspected')
  return inspected.length > 0 && inspected.every(({ status }) => status === 'healthy')
}

const isLive = ({ kind }: Check): boolean => kind !== 'stored'

/** Undefined when nothing has to be looked at. */
async function connect(
  { nodes, ssh }: ExamineDeps,
  call: Call,
  node: NodeRecord,
  live: readonly Check[],
): Promise<Live | Silence | undefined> {
  if (live.length === 0) return undefined
  const silence = await probe(ssh, call, node)
  if (silence) return silence
  const session = nodes.sessions.overTunnel(call, node)
  const asked = await askAll(session, live)
  if (asked === 'lost') return 'unreachable'
  return { session, answers: asked === 'failed' ? new Map() : asked.answers }
}

async function judgeAll(
  deps: ExamineDeps,
  checks: ChecksByFamily,
  call: Call,
  node: NodeRecord,
  live: Live | Silence | undefined,
): Promise<JudgedByFamily> {
  const answered = typeof live === 'string' ? undefined : live
  const judged = [...checks].map(async ([family, own]) => {
    const made = typeof live === 'string' ? own.filter((check) => !isLive(check)) : own
    return [family, await Promise.all(made.map((check) => judge(check, call, answered)))] as const
  })
  const first = new Map(await Promise.all(judged))
  return answered ? judgeAgain(deps, call, node, answered, first) : first
}

function familyReport(
  family: DoctorFamily,
  checks: readonly Check[],
  judged: readonly Judged[],
  node: NodeRecord,
  live: Live | Silence | undefined,
): DoctorFamilyReport {
  const silence = typeof live === 'string' ? live : undefined
  const lost = silence ? checks.filter(isLive) : []
  // One line for the family: what nobody could inspect is the same for all of its resources (DRF-013).
  const unreachable = silence && haveResource(family, lost) ? silenceIssue(family, node, silence) : []
  const probed = family === 'node' && live !== undefined ? 1 : 0
  const checked = judged.length + probed
  const issues = [...issuesOf(family, judged), ...unreachable]
  return { family, status: statusOf(checked, issues), checked, issues }
}

const OBSERVED = {
  unreachable: 'no answer',
  connection_refused: 'connection refused',
  key_refused: 'gateway key refused',
  host_key_changed: 'other host key',
} as const satisfies Record<Silence, string>

function silenceIssue(family: DoctorFamily, node: NodeRecord, silence: Silence): DoctorIssue[] {
  const code = silenceCode(family, silence)
  const finding = { expected: 'answers', observed: OBSERVED[silence] }
  return code ? [issue(code, nodeResource(node), finding)] : []
}

function statusOf(checked: number, issues: readonly DoctorIssue[]): DoctorFamilyReport['status'] {
  if (issues.length > 0) return issues.some(({ kind }) => kind === 'drift') ? 'drift' : 'unverifiable'
  return checked === 0 ? 'not_inspected' : 'healthy'
}
