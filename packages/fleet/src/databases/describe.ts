import { requireConnection } from '#/databases/locators.ts'
import { inspect } from '#/databases/inspect.ts'
import type { InspectionParts } from '#/databases/target.ts'
import type { Handler } from '#/handler.ts'

export const makeDescribe =
  (parts: InspectionParts): Handler<'database:describe'> =>
  async ({ call, input: { slug, table }, found }) => {
    const record = await requireConnection(parts.store, slug, found)
    const { columns } = await inspect(parts, call, record, (access, target, request) =>
      access.describe(target, table, request),
    )
    return { data: { slug, driver: record.driver, table, columns: [...columns] } }
  }
