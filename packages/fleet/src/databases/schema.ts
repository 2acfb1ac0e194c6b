import { requireConnection } from '#/databases/locators.ts'
import { inspect } from '#/databases/inspect.ts'
import type { InspectionDeps } from '#/databases/target.ts'
import type { Handler } from '#/handler.ts'

export const makeSchema =
  (deps: InspectionDeps): Handler<'database:schema'> =>
  async ({ call, input: { slug }, found }) => {
    const record = await requireConnection(deps.store, slug, found)
    const tables = await inspect(deps, call, record, (access, target, request) =>
      access.schema(target, request),
    )
    const shown = tables.map(({ name, columns }) => ({ name, columns: [...columns] }))
    return { data: { slug, driver: record.driver, tables: shown } }
  }
