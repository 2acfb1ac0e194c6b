import { type DoctorCode, doctorCodes } from './index.ts'
import type { DoctorCodeSpec } from './types.ts'

export interface Repair {
  /** What a person does about it. */
  readonly text: string
  /** Command line after `fleet `, ready to type. */
  readonly command: string | undefined
}

/** What makes an issue go, with the names of the issue in it. */
export function repairOf(
  code: DoctorCode,
  issue: {
    readonly node_id: number
    readonly node_name: string
    readonly resource_name: string
    readonly resource_id?: number | string | null
    readonly observed?: string | null
    readonly related_node_id?: number | undefined
  },
): Repair {
  const { repair, repairOf: others, command: usual, commandOf }: DoctorCodeSpec = doctorCodes[code]
  const { observed, resource_name: name } = issue
  const other = ofIssue(others, issue)
  const special = ofIssue(commandOf, issue)
  const command = special === undefined ? usual : special[1]
  const words: Readonly<Record<string, string>> = {
    node: String(issue.node_id),
    related: String(issue.related_node_id ?? issue.node_id),
    node_name: issue.node_name,
    role: name,
    name,
    id: String(issue.resource_id ?? ''),
    observed: observed ?? '',
  }
  const filled = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => words[name] ?? whole)
  return {
    text: filled(other === undefined ? repair : other[1]),
    command: typeof command === 'string' ? filled(command) : undefined,
  }
}

/** The entry by the name of the resource, or by what was observed, or observed last of several. */
function ofIssue<T>(
  entries: Readonly<Record<string, T>> | undefined,
  { resource_name: name, observed }: { readonly resource_name: string; readonly observed?: string | null },
): readonly [word: string, of: T] | undefined {
  const all = Object.entries(entries ?? {})
  return (
    all.find(([word]) => word === name) ??
    all.find(([word]) => word === observed || observed?.endsWith(`, ${word}`))
  )
}
