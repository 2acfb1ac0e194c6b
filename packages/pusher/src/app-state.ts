import type { AppSettings } from '#/app-options.ts'
import type { Channels } from '#/channels.ts'
import type { Users } from '#/users.ts'

/** What the answer to a message of a client reads and changes of an application. */
export interface AppState {
  readonly settings: AppSettings
  readonly channels: Channels
  readonly users: Users
}
