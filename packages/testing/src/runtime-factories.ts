import { randomUUID } from 'node:crypto'
import type { NewRow, Row, Store } from '@fleet/store'

const CREATED_AT = '2026-01-01T00:00:00.000Z'

/** What a Process or Schedule is of. */
type Owner = { readonly node_id: number } | { readonly instance_id: number }

/** An active Process that is a unit of systemd, and stopped. */
export const addProcess = (
  { db }: Pick<Store, 'db'>,
  given: Partial<NewRow<'processes'>> & Owner,
): Promise<Row<'processes'>> =>
  db
    .insertInto('processes')
    .values({
      name: 'queue',
      runtime: 'systemd',
      runtime_config: { command: ['/bin/true'], preset: null },
      restart_policy: 'never',
      keep_alive: 0,
      desired_state: 'stopped',
      status: 'active',
      created_at: CREATED_AT,
      ...given,
    })
    .returningAll()
    .executeTakeFirstOrThrow()

/** An active Schedule whose timer is on. */
export const addSchedule = (
  { db }: Pick<Store, 'db'>,
  given: Partial<NewRow<'schedules'>> & Owner,
): Promise<Row<'schedules'>> =>
  db
    .insertInto('schedules')
    .values({
      id: randomUUID(),
      name: 'nightly',
      calendar: 'daily',
      command: 'true',
      timeout_seconds: 60,
      starts_enabled: 1,
      desired_timer_state: 'enabled',
      status: 'active',
      created_at: CREATED_AT,
      ...given,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
