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
    readonly resource_id: number | null
    readonly resource_name: string
  },
): Repair {
  const { repair, command }: DoctorCodeSpec = doctorCodes[code]
  const words: Readonly<Record<string, string>> = {
    node: String(issue.node_id),
    role: issue.resource_name,
    name: issue.resource_name,
    id: String(issue.resource_id ?? ''),
  }
  return {
    text: repair,
    command: command?.replace(/\{(\w+)\}/g, (whole, name: string) => words[name] ?? whole),
  }
}
