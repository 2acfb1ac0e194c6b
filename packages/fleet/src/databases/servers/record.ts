import type { Row } from '@fleet/store'

export type ServerRecord = Row<'database_servers'>
