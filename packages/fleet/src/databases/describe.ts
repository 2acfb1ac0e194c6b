import { requireConnection } from '#/databases/locators.ts'
import { inspect } from '#/databases/inspect.ts'
import type { InspectionDeps } from '#/databases/target.ts'
import type { Handler } from '#/handler.ts'

export const makeDescribe =
  (deps: InspectionDeps): Handler<'database:describe'> =>
  async ({ call, input: { slug, table }, found }) => {
    const record = await requireConnection(deps.store, slug, found)
    const { columns } = await inspect(deps, call, record, (access, target, request) =>
      access.describe(target, table, request),
    )
    return { data: { slug, driver: record.driver, table, columns: [...columns] } }
  }
