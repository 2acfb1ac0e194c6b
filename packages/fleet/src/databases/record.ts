import type { Row } from '@fleet/store'

export type ConnectionRecord = Row<'database_connections'>
export type DatabaseUserRecord = Row<'database_users'>
