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
  const special = Object.entries(commandOf ?? {}).find(
    ([word]) => word === name || word === observed || observed?.endsWith(`, ${word}`),
  )
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
    text: filled(others?.[name] ?? others?.[observed ?? ''] ?? repair),
    command: typeof command === 'string' ? filled(command) : undefined,
  }
}
