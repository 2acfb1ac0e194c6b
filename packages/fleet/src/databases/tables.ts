import { requireConnection } from '#/databases/locators.ts'
import { inspect } from '#/databases/inspect.ts'
import type { InspectionParts } from '#/databases/target.ts'
import type { Handler } from '#/handler.ts'

export const makeTables =
  (parts: InspectionParts): Handler<'database:tables'> =>
  async ({ call, input: { slug }, found }) => {
    const record = await requireConnection(parts.store, slug, found)
    const tables = await inspect(parts, call, record, (access, target, request) =>
      access.tables(target, request),
    )
    return { data: { slug, driver: record.driver, tables: [...tables] } }
  }
