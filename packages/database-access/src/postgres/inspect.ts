import type { Request, ServerTarget, TableColumns } from '#/access.ts'
import { tablesOf } from '#/columns.ts'
import { withSession } from '#/connection/with-session.ts'
import { withinTime } from '#/time/time-limit.ts'
import type { DatabaseFailure } from '#/failure.ts'
import { postgresFailure } from './failures.ts'
import type { PostgresEngine } from './engine.ts'
import { asStatements } from './set-config.ts'
import { serverLimits } from './settings.ts'

// The search path of a login may lead the operators of a query to functions of its own.
const OWN_SEARCH_PATH =
  "select pg_catalog.set_config('fleet.schema', pg_catalog.current_schema(), true); set local search_path = pg_catalog"

const COLUMNS = `
  select case when n.nspname = pg_catalog.current_setting('fleet.schema') then '' else n.nspname || '.' end || c.relname, a.attname,
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
export const inspectPostgres = (
  engine: PostgresEngine,
  target: ServerTarget,
  request?: Request,
): Promise<readonly TableColumns[]> =>
  withinTime({ clock: engine.clock, request }, readFailure, (limit) =>
    withSession(
      engine,
      { target, limit },
      {
        prepare: async (session) => {
          const limits = asStatements(serverLimits(session, limit.milliseconds))
          await session.simple(`begin transaction read only; ${limits} ${OWN_SEARCH_PATH}`)
        },
        run: async (session) => tablesOf(await session.simple(COLUMNS)),
      },
    ),
  )

const readFailure = (error: unknown, ended: DatabaseFailure | undefined): DatabaseFailure =>
  postgresFailure(error, { write: false }, ended)
