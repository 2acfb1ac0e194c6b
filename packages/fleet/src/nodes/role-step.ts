import type { NodeSession } from '#/nodes/session/session.ts'

/** One named part of making a role work on a machine, or of taking it away. It may be repeated. */
export interface RoleStep {
  readonly name: string
  /** The role works without it: a failure is reported and left to Doctor. */
  readonly isOptional?: boolean
  /** May answer a sentence that the person who asked for it should know. */
  run(session: NodeSession): Promise<void | string>
}
