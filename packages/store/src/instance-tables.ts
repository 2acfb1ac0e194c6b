import type { Generated } from 'kysely'
import type { Bit } from '#/column-types.ts'

/** An Instance that was somebody's checkout before. */
export interface InstanceRegistrationsTable {
  instance_id: number
  /** Where it was, on the Node of the Instance. */
  source_path: string
  /** It was copied from another file system, and is to be removed there. */
  has_copy: Generated<Bit>
}
