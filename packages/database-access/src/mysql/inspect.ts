import type { Request, ServerTarget, TableColumns } from '#/access.ts'
import { tablesOf } from '#/columns.ts'
import { withSession } from '#/connection/with-session.ts'
import { withinTime } from '#/time/time-limit.ts'
import type { DatabaseFailure } from '#/failure.ts'
import { mysqlFailure } from './failures.ts'
import type { MysqlEngine } from './engine.ts'
import { READ_ONLY, setUp } from './set-up.ts'

// From the tables, since a view whose query fails has no columns. MariaDB prints the default NULL as a word, and quotes texts.
const COLUMNS = `
  select t.table_name, c.column_name, c.column_type, if(c.is_nullable = 'YES', 't', 'f'),
      if(c.column_default = 'NULL' and c.is_nullable = 'YES', null, c.column_default), if(c.column_key = 'PRI', 't', 'f')
    from information_schema.tables t
      left join information_schema.columns c on c.table_schema = t.table_schema and c.table_name = t.table_name
    where t.table_schema = database()
    order by t.table_name, c.ordinal_position`

/** Tables and views of the registered database with their columns. */
export const inspectMysql = (
  engine: MysqlEngine,
  target: ServerTarget,
  request?: Request,
): Promise<readonly TableColumns[]> =>
  withinTime({ clock: engine.clock, request }, readFailure, (limit) =>
    withSession(
      engine,
      { target, limit },
      {
        prepare: async (session, known) => {
          await setUp(session, limit.milliseconds, known)
          await session.ask(READ_ONLY)
        },
        run: async (session) => tablesOf(await session.ask(COLUMNS)),
      },
    ),
  )

const readFailure = (error: unknown, ended: DatabaseFailure | undefined): DatabaseFailure =>
  mysqlFailure(error, { write: false }, ended)
