import { requireConnection } from '#/databases/locators.ts'
import { inspect } from '#/databases/inspect.ts'
import type { InspectionDeps } from '#/databases/target.ts'
import type { Handler } from '#/handler.ts'

export const makeTables =
  (deps: InspectionDeps): Handler<'database:tables'> =>
  async ({ call, input: { slug }, found }) => {
    const record = await requireConnection(deps.store, slug, found)
    const tables = await inspect(deps, call, record, (access, target, request) =>
      access.tables(target, request),
    )
    return { data: { slug, driver: record.driver, tables: [...tables] } }
  }
