import type { Database, Row, Store } from '@fleet/store'
import type { InstanceRow } from '#/instances/queries.ts'

export type RegistrationRow = Row<'instance_registrations'>

/** Which Instances came by registration, and from where. */
export interface RegistrationQueries {
  find(instanceId: number): Promise<RegistrationRow | undefined>
  /** The Instance that this directory of the Node became, or is about to become. */
  findBySource(nodeId: number, sourcePath: string): Promise<InstanceRow | undefined>
  /** An Instance with this receipt in its checkout. */
  findByPreparation(preparationId: string): Promise<InstanceRow | undefined>
  update(instanceId: number, hasCopy: boolean): Promise<RegistrationRow>
}

export const makeRegistrationQueries = ({ db }: Pick<Store, 'db'>): RegistrationQueries => ({
  find: (instanceId) =>
    db
      .selectFrom('instance_registrations')
      .selectAll()
      .where('instance_id', '=', instanceId)
      .executeTakeFirst(),
  findBySource: (nodeId, sourcePath) =>
    db
      .selectFrom('instances')
      .innerJoin('instance_registrations', 'instance_id', 'instances.id')
      .selectAll('instances')
      .where('node_id', '=', nodeId)
      .where('source_path', '=', sourcePath)
      .orderBy('instances.id', 'desc')
      .executeTakeFirst(),
  findByPreparation: (preparationId) =>
    db.selectFrom('instances').selectAll().where('preparation_id', '=', preparationId).executeTakeFirst(),
  update: (instanceId, hasCopy) =>
    db
      .updateTable('instance_registrations')
      .set({ has_copy: hasCopy ? 1 : 0 })
      .where('instance_id', '=', instanceId)
      .returningAll()
      .executeTakeFirstOrThrow(),
})

/** In the transaction that stores the Instance. */
export const addRegistration = async (
  db: Database,
  instanceId: number,
  sourcePath: string,
): Promise<void> => {
  await db
    .insertInto('instance_registrations')
    .values({ instance_id: instanceId, source_path: sourcePath })
    .execute()
}
