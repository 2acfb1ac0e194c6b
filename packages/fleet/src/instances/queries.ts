import { type Database, fixedQuery, type NewRow, type Row, type Store } from '@fleet/store'
import { DEFAULT_NAME } from '#/instances/rules.ts'
import { concerns, isOpen, requestOf, type TransferRequest } from '#/instances/transfer/record.ts'

export type InstanceRow = Row<'instances'>

/** What every Instance shows of its row. */
const COMMON = [
  'id',
  'project_id',
  'node_id',
  'name',
  'environment',
  'source_layout',
  'checkout_path',
  'root',
  'selected_branch',
  'branch_override',
  'starting_commit',
  'detached',
  'migration_required',
  'status',
  // An active Instance whose setup is unfinished has them too (decision 0114).
  'failed_step',
  'error_code',
  'vite_port',
  'transfer',
  'creation',
  'seed_commit',
] as const satisfies readonly (keyof InstanceRow)[]

/** A row as far as it is shown. The other columns have a value only in production, in a copy, or while the Instance is not active. */
export type ShownRow = Pick<InstanceRow, (typeof COMMON)[number]> & Partial<InstanceRow>

/** A row of a list with what it shows of its Project and Node. */
export interface ListedInstance {
  readonly row: ShownRow
  readonly owner: Owner
}

const STATE = [
  'id',
  'project_id',
  'name',
  'status',
  'setup',
  'error_code',
  'removal_status',
  'removal_step',
  'removal_force',
  'transfer',
  'removal_started_at',
] as const satisfies readonly (keyof InstanceRow)[]
export type InstanceState = Pick<InstanceRow, (typeof STATE)[number]>

/** A checkout of development, and whose repository it should be. */
export interface CheckoutRow extends Pick<
  InstanceRow,
  'id' | 'name' | 'project_id' | 'checkout_path' | 'preparation_id' | 'source_layout'
> {
  readonly project_name: string
  readonly repository_identity: string
  /** Of a linked worktree: the checkout that it belongs to. */
  readonly main_path: string | null
}

/** The `default` that new Instances start from, with the commit of its last deployment. */
export interface Seed extends InstanceRow {
  readonly seed_commit: string
}

/** All SQL of the domain. */
export interface InstanceQueries {
  find(id: number): Promise<InstanceRow | undefined>
  findNamed(projectId: number, name: string): Promise<InstanceRow | undefined>
  /** All Instances of the Project, by id. */
  ofProject(projectId: number): Promise<readonly InstanceRow[]>
  /** In a transaction: another Node, name and path. */
  relocate(db: Database, id: number, values: Partial<InstanceRow>): Promise<void>
  /** In a transaction: the branch that its checkout has now; one of its own is kept. */
  storeBranch(db: Database, id: number, branch: string): Promise<void>
  /** Instances on these Nodes by Project slug and name, in byte order. */
  listOn(nodeIds: ReadonlySet<number>): Promise<readonly ListedInstance[]>
  /** How far each Instance of the Node came, by id. */
  statesOn(nodeId: number): Promise<readonly InstanceState[]>
  /** Ids of those whose removal was accepted and is in progress or failed. */
  leaving(): Promise<ReadonlySet<number>>
  /** Checkouts of active development Instances that nobody removes, by id. */
  checkoutsOn(nodeId: number): Promise<readonly CheckoutRow[]>
  /** The deployed `default` of the Project on the Node, from which new Instances start (INS-014). */
  findSeed(projectId: number, nodeId: number): Promise<Seed | undefined>
  /** Linked worktrees of the repository that this Instance has, in the order of their paths. */
  worktreesOf(id: number): Promise<readonly InstanceRow[]>
  /** Instances on the Node whose checkout or production home is one of these paths, by id. */
  findContaining(nodeId: number, paths: readonly string[]): Promise<readonly InstanceRow[]>
  /** Clones and copies of this Instance that are not finished, by name. */
  unfinishedClonesOf(id: number): Promise<readonly Pick<InstanceRow, 'id' | 'name'>[]>
  isPathTaken(nodeId: number, checkoutPath: string): Promise<boolean>
  portsOn(nodeId: number): Promise<readonly number[]>
  update(id: number, values: Partial<InstanceRow>): Promise<InstanceRow>
  remove(id: number): Promise<void>
  pathsOn(nodeId: number, within?: Database): Promise<readonly string[]>
  /** Open transfers that lead to the Node or have yet to delete an old checkout there, by the id of the Instance. */
  openTransfers(nodeId: number, within?: Database): Promise<readonly TransferRequest[]>
  developmentCounts(nodeId: number): Promise<ReadonlyMap<number, number>>
  nodeIdsOf(projectId: number): Promise<readonly number[]>
  nodeIdsByProject(): Promise<ReadonlyMap<number, readonly number[]>>
  countOf(projectId: number): Promise<number>
}

export const makeInstanceQueries = (store: Pick<Store, 'db'>): InstanceQueries => ({
  ...recordQueries(store),
  ...listQueries(store),
  ...countQueries(store),
})

const rowsById = fixedQuery((db: Database, id: number) =>
  db.selectFrom('instances').selectAll().where('id', '=', id),
)

const recordQueries = ({ db }: Pick<Store, 'db'>) => ({
  find: async (id: number) => (await rowsById(db, id))[0],
  findNamed: (projectId: number, name: string) =>
    db
      .selectFrom('instances')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('name', '=', name)
      .executeTakeFirst(),
  ofProject: (projectId: number): Promise<readonly InstanceRow[]> =>
    db.selectFrom('instances').selectAll().where('project_id', '=', projectId).orderBy('id').execute(),
  relocate: async (tx: Database, id: number, values: Partial<InstanceRow>): Promise<void> => {
    await tx.updateTable('instances').set(values).where('id', '=', id).execute()
  },
  storeBranch: async (tx: Database, id: number, branch: string): Promise<void> => {
    await tx.updateTable('instances').set({ selected_branch: branch }).where('id', '=', id).execute()
  },
  update: (id: number, values: Partial<InstanceRow>) => updateRow(db, id, values),
  remove: (id: number): Promise<void> => removeRow(db, id),
})

/** Inserts unless the name, the path or the port is taken; undefined then. */
export const reserveRow = (db: Database, row: NewRow<'instances'>): Promise<InstanceRow | undefined> =>
  db
    .insertInto('instances')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()

/** The row as it is now; others who lock it wait until this transaction ends. Undefined when it is gone. */
export const lockInstance = (db: Database, id: number): Promise<InstanceRow | undefined> =>
  // A write that changes nothing takes the row lock in both dialects.
  db.updateTable('instances').set({ id }).where('id', '=', id).returningAll().executeTakeFirst()

export const updateRow = (db: Database, id: number, values: Partial<InstanceRow>): Promise<InstanceRow> =>
  db.updateTable('instances').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow()

export async function storeDeploySteps(
  db: Database,
  id: number,
  deploy_steps: NonNullable<InstanceRow['deploy_steps']>,
): Promise<void> {
  await db.updateTable('instances').set({ deploy_steps }).where('id', '=', id).execute()
}

export async function removeRow(db: Database, id: number): Promise<void> {
  await db.deleteFrom('instances').where('id', '=', id).execute()
}

const listQueries = ({ db }: Pick<Store, 'db'>) => ({
  listOn: async (nodeIds: ReadonlySet<number>): Promise<readonly ListedInstance[]> => {
    if (nodeIds.size === 0) return []
    const ids = [...nodeIds]
    const rows = await shownRows(db, ids)
    const projectIds = [...new Set(rows.map((row) => row.project_id))]
    if (projectIds.length === 0) return []
    // Few Projects and Nodes repeat in many Instances: three plain reads cost less than one wide join.
    const [projects, nodes] = await Promise.all([
      db
        .selectFrom('projects')
        .select(['id', 'name', 'slug', 'type', 'root'])
        .where('id', 'in', projectIds)
        .execute(),
      db.selectFrom('nodes').select(['id', 'name']).where('id', 'in', ids).execute(),
    ])
    return arrange(rows, projects, nodes)
  },
  statesOn: (nodeId: number) =>
    db.selectFrom('instances').select(STATE).where('node_id', '=', nodeId).orderBy('id').execute(),
  leaving: async () => {
    const rows = await db
      .selectFrom('instances')
      .select('id')
      .where('removal_status', 'is not', null)
      .execute()
    return new Set(rows.map(({ id }) => id))
  },
  checkoutsOn: (nodeId: number): Promise<readonly CheckoutRow[]> =>
    db
      .selectFrom('instances')
      .innerJoin('projects', 'projects.id', 'instances.project_id')
      .leftJoin('instances as main', 'main.id', 'instances.worktree_of')
      .select([
        'main.checkout_path as main_path',
        'instances.id',
        'instances.name',
        'instances.project_id',
        'instances.checkout_path',
        'instances.preparation_id',
        'instances.source_layout',
        'projects.name as project_name',
        'projects.repository_identity',
      ])
      .where('instances.node_id', '=', nodeId)
      .where('instances.environment', '=', 'development')
      .where('instances.status', '=', 'active')
      .where('instances.removal_status', 'is', null)
      .orderBy('instances.id')
      .execute(),
  findSeed: async (projectId: number, nodeId: number): Promise<Seed | undefined> => {
    const row = await db
      .selectFrom('instances')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('name', '=', DEFAULT_NAME)
      .where('node_id', '=', nodeId)
      .where('status', '=', 'active')
      .executeTakeFirst()
    return !row || row.seed_commit === null ? undefined : { ...row, seed_commit: row.seed_commit }
  },
  worktreesOf: (id: number): Promise<readonly InstanceRow[]> =>
    db.selectFrom('instances').selectAll().where('worktree_of', '=', id).orderBy('checkout_path').execute(),
  findContaining: (nodeId: number, paths: readonly string[]) =>
    db
      .selectFrom('instances')
      .selectAll()
      .where('node_id', '=', nodeId)
      .where(({ or, eb }) =>
        or([eb('checkout_path', 'in', [...paths]), eb('production_home', 'in', [...paths])]),
      )
      .orderBy('id')
      .execute(),
  unfinishedClonesOf: async (id: number): Promise<readonly Pick<InstanceRow, 'id' | 'name'>[]> => {
    const rows = await db
      .selectFrom('instances')
      .select(['id', 'name', 'copy', 'clone_candidate_id'])
      .where('status', '!=', 'removing')
      .where(({ or, and, eb }) =>
        or([
          and([eb('clone_candidate_id', '=', id), eb('status', '!=', 'active')]),
          // It is active before it has the databases and values of its source.
          and([
            eb('creation', '=', 'copy'),
            or([eb('status', '!=', 'active'), eb('database_pending', '=', 'copy')]),
          ]),
        ]),
      )
      .orderBy('name')
      .execute()
    return rows
      .filter(({ copy, clone_candidate_id }) => clone_candidate_id === id || copy?.source.id === id)
      .map((row) => ({ id: row.id, name: row.name }))
  },
  isPathTaken: async (nodeId: number, checkoutPath: string): Promise<boolean> => {
    const taken = await db
      .selectFrom('instances')
      .select('id')
      .where('node_id', '=', nodeId)
      .where('checkout_path', '=', checkoutPath)
      .executeTakeFirst()
    return taken !== undefined
  },
  pathsOn: async (nodeId: number, within: Database = db): Promise<readonly string[]> => {
    const rows = await within
      .selectFrom('instances')
      .select('checkout_path')
      .where('node_id', '=', nodeId)
      .execute()
    return rows.map((row) => row.checkout_path)
  },
  openTransfers: async (nodeId: number, within: Database = db): Promise<readonly TransferRequest[]> => {
    const rows = await within
      .selectFrom('instances')
      .select(['id', 'transfer'])
      .where('transfer', 'is not', null)
      .orderBy('id')
      .execute()
    return rows.flatMap(({ id, transfer }) =>
      isOpen(transfer) && concerns(transfer, nodeId) ? [{ instance_id: id, ...requestOf(transfer) }] : [],
    )
  },
  portsOn: async (nodeId: number): Promise<readonly number[]> => {
    const rows = await db.selectFrom('instances').select('vite_port').where('node_id', '=', nodeId).execute()
    return rows.flatMap((row) => row.vite_port ?? [])
  },
})

// A column more costs a list of 10,000 Instances a millisecond or two, and half of them are empty in nearly every row.
const shownRows = async (db: Store['db'], nodeIds: readonly number[]): Promise<readonly ShownRow[]> => {
  const from = db.selectFrom('instances').where('node_id', 'in', nodeIds)
  const rows = await from.select(COMMON).orderBy('project_id').orderBy('name').execute()
  if (
    rows.every(
      (row) => row.status === 'active' && row.environment === 'development' && row.creation !== 'copy',
    )
  )
    return rows
  const whole = await from
    .selectAll()
    .where((where) =>
      where.or([
        where('status', '<>', 'active'),
        where('environment', '<>', 'development'),
        where('creation', '=', 'copy'),
      ]),
    )
    .execute()
  const wholeOf = new Map(whole.map((row) => [row.id, row]))
  return rows.map((row) => wholeOf.get(row.id) ?? row)
}

/** Rows come by Project and name, so that only the few Projects are left to sort. */
const arrange = (
  rows: readonly ShownRow[],
  projects: readonly Owner['project'][],
  nodes: readonly Owner['node'][],
): readonly ListedInstance[] => {
  const rowsOf = Map.groupBy(rows, (row) => row.project_id)
  const listed: ListedInstance[] = []
  for (const project of projects.toSorted((a, b) => (a.slug < b.slug ? -1 : 1))) {
    const ownersOn = new Map(nodes.map((node) => [node.id, { project, node }]))
    for (const row of rowsOf.get(project.id) ?? []) {
      const owner = ownersOn.get(row.node_id)
      // A Node removed between the reads: its Instances are in no list a moment later.
      if (owner) listed.push({ row, owner })
    }
  }
  return listed
}

const countQueries = ({ db }: Pick<Store, 'db'>) => ({
  developmentCounts: async (nodeId: number): Promise<ReadonlyMap<number, number>> => {
    const rows = await db
      .selectFrom('instances')
      .select(['project_id', (build) => build.fn.countAll<number | string>().as('count')])
      .where('node_id', '=', nodeId)
      .where('environment', '=', 'development')
      .groupBy('project_id')
      .execute()
    // PostgreSQL counts in bigint, which its driver gives as text.
    return new Map(rows.map((row) => [row.project_id, Number(row.count)]))
  },
  nodeIdsOf: async (projectId: number): Promise<readonly number[]> => {
    const rows = await db
      .selectFrom('instances')
      .select('node_id')
      .distinct()
      .where('project_id', '=', projectId)
      .orderBy('node_id')
      .execute()
    return rows.map((row) => row.node_id)
  },
  nodeIdsByProject: async (): Promise<ReadonlyMap<number, readonly number[]>> => {
    const rows = await db
      .selectFrom('instances')
      .select(['project_id', 'node_id'])
      .distinct()
      .orderBy('project_id')
      .orderBy('node_id')
      .execute()
    const nodes = new Map<number, number[]>()
    for (const row of rows) nodes.set(row.project_id, [...(nodes.get(row.project_id) ?? []), row.node_id])
    return nodes
  },
  countOf: async (projectId: number): Promise<number> => {
    const row = await db
      .selectFrom('instances')
      .select((build) => build.fn.countAll<number | string>().as('count'))
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow()
    return Number(row.count)
  },
})

/** What an Instance shows of its Project and its Node. */
export interface Owner {
  readonly project: Pick<Row<'projects'>, 'id' | 'name' | 'slug' | 'type' | 'root'>
  readonly node: Pick<Row<'nodes'>, 'id' | 'name'>
}
