export { backoff } from '#/backoff.ts'
export type { Closed, Connection, Members, PusherMessage } from '#/connection.ts'
export { ConnectionFailure, type FailureCode } from '#/failure.ts'
export { type ConnectionDeps, type ConnectionTarget, openConnection } from '#/open-connection.ts'
