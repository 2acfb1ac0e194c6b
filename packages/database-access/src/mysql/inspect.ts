import type { Clock } from '@fleet/kernel'
import type { Request, ServerTarget, TableColumns } from '#/access.ts'
import { tablesOf } from '#/columns.ts'
import { withinTime } from '#/time/time-limit.ts'
import type { DatabaseFailure } from '#/failure.ts'
import { mysqlFailure } from './failures.ts'
import { setUp, withSession } from './open.ts'

// MariaDB prints the default NULL as a word, and quotes texts.
const COLUMNS = `
  select c.table_name, c.column_name, c.column_type, if(c.is_nullable = 'YES', 't', 'f'),
      if(c.column_default = 'NULL' and c.is_nullable = 'YES', null, c.column_default), if(c.column_key = 'PRI', 't', 'f')
    from information_schema.columns c
    where c.table_schema = database()
    order by c.table_name, c.ordinal_position`

/** Tables and views of the registered database with their columns. */
export const inspectMysql = (
  clock: Clock,
  target: ServerTarget,
  request?: Request,
): Promise<readonly TableColumns[]> =>
  withinTime({ clock, request }, readFailure, (limit) =>
    withSession(target, limit, async (session) => {
      await setUp(session, limit.milliseconds)
      await session.ask('set session transaction read only')
      return tablesOf(await session.ask(COLUMNS))
    }),
  )

const readFailure = (error: unknown): DatabaseFailure => mysqlFailure(error, false)
