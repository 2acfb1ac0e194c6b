import type { Clock } from '@fleet/kernel'
import type { Request, ServerTarget, TableColumns } from '#/access.ts'
import { tablesOf } from '#/columns.ts'
import { startTimeLimit } from '#/time/time-limit.ts'
import { postgresFailure } from './failures.ts'
import { serverLimits, withSession } from './open.ts'

const COLUMNS = `
  select case when n.nspname = pg_catalog.current_schema() then '' else n.nspname || '.' end || c.relname, a.attname,
      pg_catalog.format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'f' else 't' end,
      case when a.attgenerated = '' then pg_catalog.pg_get_expr(d.adbin, d.adrelid) end,
      case when a.attnum = any(i.indkey) then 't' else 'f' end
    from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      left join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_catalog.pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      left join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
    order by c.oid, a.attnum`

/** Tables and views with their columns. Those outside the first schema of the search path are `schema.table`. */
export async function inspectPostgres(
  clock: Clock,
  target: ServerTarget,
  request?: Request,
): Promise<readonly TableColumns[]> {
  using limit = startTimeLimit(clock, request)
  try {
    return await withSession(target, limit, async (session) => {
      await session.simple(`begin transaction read only; ${serverLimits(session, limit.milliseconds)}`)
      return tablesOf(await session.simple(COLUMNS))
    })
  } catch (error) {
    throw postgresFailure(error, false)
  }
}
