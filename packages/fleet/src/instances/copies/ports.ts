import type { SharedDatabase } from '@fleet/contract'
import type { InstanceRow } from '#/instances/queries.ts'
import type { NodeSession } from '#/nodes/api.ts'

/** What a copy needs from what is above Instances. */
export interface InstanceCopies {
  /** Whether the dependencies of a sleeping Instance were removed. */
  isCold(session: NodeSession, instanceId: number): Promise<boolean>
  /**
   * Paths of the SQLite files that an Instance uses, in its checkout. Changes nothing. Throws `instance.database_clone_unsupported`, and
   * `database.slug_conflict` for the record of a copy of this name.
   */
  databaseFiles(
    source: Pick<InstanceRow, 'id' | 'node_id' | 'checkout_path'>,
    copy: { readonly project: string; readonly name: string },
  ): Promise<readonly string[]>
  /**
   * Gives an active copy the databases and the stored values of its source, which name the copy from then on, and writes its environment
   * file. Answers the databases that both use. May be repeated. Throws `instance.copy_failed`.
   */
  complete(session: NodeSession, row: InstanceRow): Promise<readonly SharedDatabase[]>
}
