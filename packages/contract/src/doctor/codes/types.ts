/** `drift`: the machine or the records are not as they should be. `unverifiable`: nobody could look. */
export const issueKinds = ['drift', 'unverifiable'] as const
export type IssueKind = (typeof issueKinds)[number]

/** What Doctor says with one of its codes, and what makes it go. */
export interface DoctorCodeSpec {
  readonly kind: IssueKind
  /** One sentence that is safe to show. */
  readonly summary: string
  /** What a person does about it, as a sentence without the command. It may name the resource as the command does. */
  readonly repair: string
  /** Another sentence, by the name of the resource, such as a role, or by what was observed, or observed last of several. */
  readonly repairOf?: Readonly<Record<string, string>>
  /**
   * Command line after `fleet `; `{node}` and `{node_name}` are the Node's id and name, `{related}` the id of the Node that has
   * to be repaired where that is another one, `{role}` and `{name}` the resource's name, `{observed}` what was observed.
   */
  readonly command?: string
  /** Another command by the same, or by what was observed last of several, null for none. */
  readonly commandOf?: Readonly<Record<string, string | null>>
}
