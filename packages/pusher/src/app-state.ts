import type { AppSettings } from '#/app-options.ts'
import type { Channels } from '#/channels.ts'
import type { CloseReason } from '#/close-codes.ts'
import type { Connection } from '#/connection.ts'
import type { Users } from '#/users.ts'

/** What the answer to a message of a client reads and changes of an application. */
export interface AppState {
  readonly settings: AppSettings
  readonly channels: Channels
  readonly users: Users
  /** Sends the reason as an error, then ends the connection, which is on no channel from then on. */
  end(connection: Connection, reason: CloseReason): void
}
