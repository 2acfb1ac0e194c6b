import { fail } from '@fleet/contract'
import { type Clock, type Ids, Secret } from '@fleet/kernel'
import type { Row, Store } from '@fleet/store'
import * as z from 'zod'
import {
  type DefinitionKind,
  deleteDefinition,
  findDefinition,
  insertDefinition,
  listDefinitions,
  lockProject,
  updateDefinition,
} from '#/projects/queries.ts'

export type DefinitionRecord = Row<'project_definitions'>

/** A definition as a request has it. `variables` are `NAME=VALUE`, sealed apart from the rest. */
export interface Definition {
  readonly environments: DefinitionRecord['environments']
  readonly spec: DefinitionRecord['spec']
  readonly variables: readonly string[]
}

export interface DefinitionDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
}

export interface Definitions {
  /** By name. */
  list(projectId: number): Promise<readonly DefinitionRecord[]>
  /** Throws `project_definition.not_found`. */
  require(projectId: number, name: string): Promise<DefinitionRecord>
  /** Throws `project_definition.name_taken`, unless the stored one is the same (PRJ-078). */
  create(
    projectId: number,
    name: string,
    given: Definition,
  ): Promise<{ row: DefinitionRecord; isNew: boolean }>
  /** The whole of it (PRJ-082). Throws `project_definition.not_found`. */
  replace(row: DefinitionRecord, given: Definition): Promise<DefinitionRecord>
  /** Throws `project_definition.not_found` when somebody else was first. */
  remove(row: DefinitionRecord): Promise<void>
}

/** What a Project copies onto its production Instances, of one kind. Nothing here reaches a Node (PRJ-083). */
export function makeDefinitions(deps: DefinitionDeps, kind: DefinitionKind): Definitions {
  const { store } = deps
  const require: Definitions['require'] = async (projectId, name) =>
    (await findDefinition(store.db, { projectId, kind, name })) ?? missing(name)
  return {
    list: (projectId) => listDefinitions(store.db, projectId, kind),
    require,
    create: (projectId, name, given) =>
      store.transaction(async (db) => {
        if (!(await lockProject(db, projectId))) throw fail('project.not_found')
        const known = await findDefinition(db, { projectId, kind, name })
        if (known && !isSame(store, known, given))
          throw fail('project_definition.name_taken', { details: { name } })
        if (known) return { row: known, isNew: false }
        const id = deps.ids.uuid()
        const row = {
          id,
          project_id: projectId,
          kind,
          name,
          ...sealed(store, id, given),
          created_at: deps.clock.now().toISOString(),
        }
        await insertDefinition(db, row)
        return { row, isNew: true }
      }),
    replace: async (row, given) => {
      const values = sealed(store, row.id, given)
      if (!(await updateDefinition(store.db, row.id, values))) return missing(row.name)
      return { ...row, ...values }
    },
    remove: async ({ id, name }) => {
      if (!(await deleteDefinition(store.db, id))) missing(name)
    },
  }
}

function missing(name: string): never {
  throw fail('project_definition.not_found', { details: { name } })
}

const placeOf = (id: string) => ({ table: 'project_definitions', column: 'variables', row: id })

const sealed = ({ cipher }: Pick<Store, 'cipher'>, id: string, { variables, ...rest }: Definition) => ({
  ...rest,
  variables: variables.length === 0 ? null : cipher.seal(placeOf(id), new Secret(JSON.stringify(variables))),
})

/** Definitions whose environments name production, with their variables, by name (PRJ-084). */
export const productionOf = async (
  store: Store,
  projectId: number,
  kind: DefinitionKind,
): Promise<ReadonlyArray<{ readonly row: DefinitionRecord; readonly variables: readonly string[] }>> =>
  (await listDefinitions(store.db, projectId, kind))
    .filter(({ environments }) => environments.includes('production'))
    .map((row) => ({ row, variables: variablesOf(store, row) }))

const entries = z.array(z.string())

const variablesOf = (
  { cipher }: Pick<Store, 'cipher'>,
  { id, variables }: Pick<DefinitionRecord, 'id' | 'variables'>,
): readonly string[] =>
  variables === null ? [] : entries.parse(JSON.parse(cipher.open(placeOf(id), variables).reveal()))

const isSame = (store: Pick<Store, 'cipher'>, row: DefinitionRecord, given: Definition): boolean =>
  textOf({ ...row, variables: variablesOf(store, row) }) === textOf(given)

/** Whatever the order in which a client names members. */
const textOf = ({ environments, spec, variables }: Definition): string =>
  JSON.stringify([environments.toSorted(), sorted(spec), variables])

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)])
}
