/** What any work on a database server can answer because of its container. */
export const serverErrors = [
  'database.server_busy',
  'database.server_command_failed',
  'process.runtime_lock_failed',
  'process.unit_conflict',
  'process.container_conflict',
  'process.image_unavailable',
  'process.port_unavailable',
  'process.runtime_failed',
  'process.not_found',
  'node.capability_missing',
  'node.lock_lost',
] as const
