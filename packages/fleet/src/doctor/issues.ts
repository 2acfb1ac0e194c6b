import { type DoctorCode, doctorCodes, type DoctorFamily, type DoctorIssue } from '@fleet/contract'
import type { Judged } from '#/doctor/judge.ts'
import type { Silence } from '#/doctor/reach.ts'
import { safeDirectory, safeText } from '#/doctor/safe-text.ts'
import type { CheckedResource, Finding, Verdict } from '#/nodes/api.ts'

/** Problems, and once for each resource that some check of it could not be made. */
export function issuesOf(family: DoctorFamily, judged: readonly Judged[]): DoctorIssue[] {
  const blind = new Set<string>()
  return judged.flatMap(({ check: { code, resource }, verdict }) => {
    if (verdict === undefined) return []
    if (isFinding(verdict)) return [issue(code, resource, verdict)]
    const key = `${resource.type} ${resource.id} ${resource.name}`
    if (blind.has(key)) return []
    blind.add(key)
    const failed = codeOf(family, 'inspection_failed')
    return failed ? [issue(failed, resource, { expected: null, observed: verdict.unverifiable })] : []
  })
}

export const isFinding = (verdict: Exclude<Verdict, undefined>): verdict is Finding => 'expected' in verdict

export const issue = (
  code: DoctorCode,
  resource: CheckedResource,
  { expected, observed, service, directory, relatedNodeId }: Finding,
): DoctorIssue => ({
  code,
  kind: doctorCodes[code].kind,
  resource_type: resource.type,
  resource_id: resource.id,
  resource_name: resource.name,
  summary:
    directory === undefined ? summaryOf(code) : `${summaryOf(code)} Directory: ${safeDirectory(directory)}`,
  expected: safeText(expected),
  observed: safeText(observed),
  ...(relatedNodeId === undefined ? {} : { related_node_id: relatedNodeId }),
  ...(service === undefined ? {} : { service }),
})

const summaryOf = (code: DoctorCode): string => doctorCodes[code].summary

/** A code that every family with live checks has; undefined for one without any codes yet. */
export const codeOf = (
  family: DoctorFamily,
  name: 'inspection_failed' | 'node_unreachable',
): DoctorCode | undefined => known(`${family}.${name}`)

/** What a family reports of a Node that takes no command: the family of Nodes names the cause, the others the fact (DRF-013). */
export const silenceCode = (family: DoctorFamily, silence: Silence): DoctorCode | undefined =>
  family === 'node' ? NODE_CODES[silence] : codeOf(family, 'node_unreachable')

const NODE_CODES = {
  unreachable: 'node.ssh_unreachable',
  connection_refused: 'node.ssh_connection_refused',
  key_refused: 'node.ssh_key_refused',
  host_key_changed: 'node.ssh_host_key_changed',
} as const satisfies Record<Silence, DoctorCode>

const known = (code: string): DoctorCode | undefined => (isCode(code) ? code : undefined)

const isCode = (code: string): code is DoctorCode => Object.hasOwn(doctorCodes, code)
