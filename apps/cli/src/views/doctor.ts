import type { DoctorIssue, DoctorNodeReport, DoctorReport } from '@fleet/contract'
import { repairOf } from '@fleet/contract/doctor-codes'
import { oneLine } from '#/print/text.ts'
import { inline } from '#/print/value.ts'
import type { Paper, View } from './view.ts'

/** Healthy in one line; else what is wrong by Node, with what was expected and seen and the command that repairs. */
export const doctor: View = {
  lines: (data, _also, paper) => {
    const report = data as unknown as DoctorReport // The gateway answers by this declaration.
    const sick = report.nodes.filter(hasIssues)
    const sickLines = sick.flatMap((node) => nodeLines(node, paper))
    return [...sickLines, lastLine(report, sick.length, paper), ...notInspected(report)]
  },
}

const hasIssues = ({ families }: DoctorNodeReport): boolean =>
  families.some(({ issues }) => issues.length > 0)

/** Families of which no Node had anything to check: nothing is known of them. */
function notInspected({ nodes }: DoctorReport): readonly string[] {
  const families = nodes.flatMap((node) => node.families)
  const inspected = new Set(
    families.flatMap(({ family, status }) => (status === 'not_inspected' ? [] : [family])),
  )
  const others = new Set(families.map(({ family }) => family)).difference(inspected)
  return others.size === 0
    ? []
    : [`Not inspected: ${[...others].map((name) => name.replaceAll('_', ' ')).join(', ')}.`]
}

function nodeLines(node: DoctorNodeReport, paper: Paper): readonly string[] {
  const issues = node.families.flatMap((family) => family.issues)
  return [
    `${paper.colors.bold(inline(node.node_name))} (${node.node_id})`,
    ...issues.flatMap((issue) => issueLines(issue, node, paper)),
    '',
  ]
}

function issueLines(issue: DoctorIssue, node: DoctorNodeReport, { colors }: Paper): readonly string[] {
  const color = issue.kind === 'drift' ? colors.red : colors.bold
  const about = issue.resource_type === 'node' ? '' : ` (${resourceOf(issue)})`
  const repair = repairOf(issue.code, { ...issue, ...node })
  return [
    `  ${color(issue.code)}  ${oneLine(issue.summary)}${about}`,
    ...seen(issue).map((text) => `    ${colors.dim(text)}`),
    ...unitLines(issue).map((text) => `    ${colors.dim(text)}`),
    `    ${repair.text}`,
    ...(repair.command === undefined
      ? []
      : [`    ${colors.dim('next')}  ${colors.cyan(`fleet ${repair.command}`)}`]),
  ]
}

/** What is named within its Project or Node alone. */
const SHARING_NAMES: ReadonlySet<string> = new Set(['instance', 'process', 'schedule'])

/** With its id where another one can have the same name. */
function resourceOf({ resource_type: type, resource_id: id, resource_name: name }: DoctorIssue): string {
  const named = `${oneLine(type.replaceAll('_', ' '))} ${inline(name)}`
  return id !== null && SHARING_NAMES.has(type) ? `${named}, id ${id}` : named
}

/** Which unit it is, and what it said last. */
const unitLines = ({ service }: DoctorIssue): readonly string[] =>
  service === undefined
    ? []
    : [
        `unit ${inline(service.unit)}: ${inline(service.state)}`,
        ...service.journal.map((line) => `  ${inline(line)}`),
      ]

function seen({ expected, observed }: DoctorIssue): readonly string[] {
  const parts = [
    ...(expected === null ? [] : [`expected ${inline(expected)}`]),
    ...(observed === null ? [] : [`observed ${inline(observed)}`]),
  ]
  return parts.length === 0 ? [] : [parts.join(', ')]
}

function lastLine({ healthy, summary }: DoctorReport, sick: number, { colors }: Paper): string {
  const made = `${counted(summary.checks, 'check')} of ${counted(summary.nodes, 'Node')}`
  if (healthy) return `${colors.bold('Healthy:')} ${made}.`
  if (summary.drift + summary.unverifiable === 0) return `No check applies; ${made}.`
  const kinds = [
    ...(summary.drift === 0 ? [] : [`${summary.drift} wrong`]),
    ...(summary.unverifiable === 0 ? [] : [`${summary.unverifiable} unverifiable`]),
  ]
  return `${kinds.join(', ')} on ${sick} of ${counted(summary.nodes, 'Node')}; ${counted(summary.checks, 'check')}.`
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
