/** What any look into a database can answer; trouble with its Node is `database.query_failed` too (DB-071). */
export const inspectionErrors = [
  'database.driver_unsupported',
  'database.sqlite_node_required',
  'database.query_failed',
] as const
