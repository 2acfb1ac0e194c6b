import { requireConnection } from '#/databases/locators.ts'
import { inspect } from '#/databases/inspect.ts'
import type { InspectionDeps } from '#/databases/target.ts'
import type { Handler } from '#/handler.ts'

/** Runs one statement; what runs without `write` is decided by the engines (decision 0154). */
export const makeQuery =
  (deps: InspectionDeps): Handler<'database:query'> =>
  async ({ call, input: { slug, sql, write = false }, found }) => {
    const record = await requireConnection(deps.store, slug, found)
    call.note.property('write', write)
    const result = await inspect(deps, call, record, (access, target, request) =>
      access.query(target, { sql, write }, request),
    )
    const { columns, rows, row_count, truncated } = result
    call.note.property('row_count', row_count)
    return {
      data: {
        slug,
        driver: record.driver,
        write,
        columns: [...columns],
        rows: [...rows],
        row_count,
        truncated,
      },
    }
  }
