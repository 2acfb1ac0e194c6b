import type { RoleName } from '../../nodes/records.ts'

/** `drift`: the machine or the records are not as they should be. `unverifiable`: nobody could look. */
export const issueKinds = ['drift', 'unverifiable'] as const
export type IssueKind = (typeof issueKinds)[number]

/** What Doctor says with one of its codes, and what makes it go. */
export interface DoctorCodeSpec {
  readonly kind: IssueKind
  /** One sentence that is safe to show. */
  readonly summary: string
  /** What a person does about it, as a sentence without the command. */
  readonly repair: string
  /**
   * Command line after `fleet `; `{node}` and `{node_name}` are the Node's id and name, `{role}` and `{name}` the
   * resource's name.
   */
  readonly command?: string
  /** Another command for some roles: what brings the hub back is not the way of a role. */
  readonly commandOf?: Readonly<Partial<Record<RoleName, string>>>
}
