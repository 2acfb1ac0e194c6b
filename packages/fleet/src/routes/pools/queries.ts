import type { Database, RecordedPool, RecordedSet, Row, TargetPhase } from '@fleet/store'

type Target = Pick<Row<'route_targets'>, 'route_id' | 'instance_id'>

/** The set that a request recorded for this Route and did not finish. */
export async function recordedSetOf(db: Database, routeId: number): Promise<RecordedSet | undefined> {
  const row = await db
    .selectFrom('route_target_sets')
    .select('target_set')
    .where('route_id', '=', routeId)
    .executeTakeFirst()
  return row?.target_set
}

/** Every recorded set, by the Route that it is of. */
export const recordedSets = (db: Database): Promise<ReadonlyArray<Row<'route_target_sets'>>> =>
  db.selectFrom('route_target_sets').selectAll().orderBy('route_id').execute()

export async function recordSet(db: Database, row: Row<'route_target_sets'>): Promise<void> {
  await db.insertInto('route_target_sets').values(row).execute()
}

export async function forgetSet(db: Database, routeId: number): Promise<void> {
  await db.deleteFrom('route_target_sets').where('route_id', '=', routeId).execute()
}

/** Those of these Instances that are still stored. */
export async function storedOf(db: Database, instanceIds: readonly number[]): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('instances')
    .select('id')
    .where('id', 'in', [...instanceIds])
    .execute()
  return rows.map(({ id }) => id)
}

/** Where the Instance is, and what of it the web server may read in production. */
export const placeOf = (
  db: Database,
  instanceId: number,
): Promise<
  Pick<Row<'instances'>, 'node_id' | 'production_home' | 'production_user' | 'selected_release'> | undefined
> =>
  db
    .selectFrom('instances')
    .select(['node_id', 'production_home', 'production_user', 'selected_release'])
    .where('id', '=', instanceId)
    .executeTakeFirst()

/** Behind the targets that the Route has; nothing for one that it has already. */
export async function reserveTarget(db: Database, { route_id, instance_id }: Target): Promise<void> {
  const last = await db
    .selectFrom('route_targets')
    .select((eb) => eb.fn.max('position').as('position'))
    .where('route_id', '=', route_id)
    .executeTakeFirst()
  const position = (last?.position ?? 0) + 1
  await db
    .insertInto('route_targets')
    .values({ route_id, instance_id, position, phase: 'reserved' })
    .onConflict((conflict) => conflict.columns(['route_id', 'instance_id']).doNothing())
    .execute()
}

export async function movePhase(
  db: Database,
  routeIds: readonly number[],
  { from, to }: { readonly from: TargetPhase; readonly to: TargetPhase | null },
): Promise<void> {
  if (routeIds.length === 0) return
  await db
    .updateTable('route_targets')
    .set({ phase: to })
    .where('route_id', 'in', [...routeIds])
    .where('phase', '=', from)
    .execute()
}

export async function deletePhases(
  db: Database,
  routeIds: readonly number[],
  phases: readonly TargetPhase[],
): Promise<void> {
  if (routeIds.length === 0) return
  await db
    .deleteFrom('route_targets')
    .where('route_id', 'in', [...routeIds])
    .where('phase', 'in', [...phases])
    .execute()
}

/**
 * The association as it is to be: prepared targets are in the pool, those that are not named leave it and keep their site until
 * they are released. May be repeated.
 */
export async function storePool(tx: Database, { route_id, after }: RecordedPool): Promise<void> {
  const rows = await tx.selectFrom('route_targets').selectAll().where('route_id', '=', route_id).execute()
  // Positions are unique at every moment.
  const aside = Math.max(after.length, ...rows.map(({ position }) => position)) + 1
  for (const [at, { id }] of rows.entries())
    await tx
      .updateTable('route_targets')
      .set({ position: aside + at })
      .where('id', '=', id)
      .execute()
  for (const { id, instance_id, phase } of rows) {
    const at = after.indexOf(instance_id)
    const next = at === -1 ? 'leaving' : phase === 'joining' ? 'joined' : phase
    const position = at === -1 ? undefined : at + 1
    await tx
      .updateTable('route_targets')
      .set({ phase: next, ...(position === undefined ? {} : { position }) })
      .where('id', '=', id)
      .execute()
  }
}

/** One target leaves the pool and keeps its site until it is released; those behind it move up. May be repeated. */
export async function storeLeaving(tx: Database, { route_id, instance_id }: Target): Promise<void> {
  const rows = await tx
    .selectFrom('route_targets')
    .selectAll()
    .where('route_id', '=', route_id)
    .orderBy('position')
    .execute()
  const set = async (id: number, values: Partial<Pick<Row<'route_targets'>, 'position' | 'phase'>>) =>
    void (await tx.updateTable('route_targets').set(values).where('id', '=', id).execute())
  const own = rows.find((row) => row.instance_id === instance_id)
  if (own) await set(own.id, { phase: 'leaving', position: (rows.at(-1)?.position ?? 0) + 1 })
  // Each moves to a place that is free by then.
  for (const [at, { id }] of rows.filter((row) => row !== own).entries()) await set(id, { position: at + 1 })
}

export async function deleteTarget(db: Database, routeId: number, instanceId: number): Promise<void> {
  await db
    .deleteFrom('route_targets')
    .where('route_id', '=', routeId)
    .where('instance_id', '=', instanceId)
    .execute()
}

export async function deleteTargetsOf(db: Database, instanceId: number): Promise<void> {
  await db.deleteFrom('route_targets').where('instance_id', '=', instanceId).execute()
}

/** The Routes with this Instance that others serve as well, or that it serves only on its way in or out. */
export async function sharedRoutesOf(db: Database, instanceId: number): Promise<readonly SharedRoute[]> {
  const rows = await db
    .selectFrom('route_targets')
    .selectAll()
    .where('route_id', 'in', (eb) =>
      eb.selectFrom('route_targets').select('route_id').where('instance_id', '=', instanceId),
    )
    .orderBy('route_id')
    .orderBy('position')
    .execute()
  return [...Map.groupBy(rows, ({ route_id }) => route_id)].flatMap(([routeId, targets]) => {
    const own = targets.find(({ instance_id }) => instance_id === instanceId)
    const isMember = own?.phase === null || own?.phase === 'joined'
    const others = targets.filter(({ instance_id }) => instance_id !== instanceId)
    return own && (!isMember || others.some(({ phase }) => phase === null || phase === 'joined'))
      ? [{ routeId, phase: own.phase, others: others.map(({ instance_id }) => instance_id) }]
      : []
  })
}

export interface SharedRoute {
  readonly routeId: number
  /** Of the Instance. */
  readonly phase: TargetPhase | null
  readonly others: readonly number[]
}
