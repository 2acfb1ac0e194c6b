import type { Connection, SignedInUser } from '#/connection.ts'
import { type Frame, serverFrame } from '#/frame.ts'

/** Users who signed in, and who watches whom. */
export class Users {
  readonly #connections = new Map<string, Set<Connection>>()
  readonly #watchers = new Map<string, Set<Connection>>()

  /** Enters the user of a connection; those who watch hear of the first one, and the connection of those it watches. */
  join(connection: Connection, user: SignedInUser): void {
    this.leave(connection)
    connection.user = user
    for (const id of user.watchlist) into(this.#watchers, id, connection)
    if (into(this.#connections, user.id, connection)) this.#tellWatchers(user.id, 'online')
    if (user.watchlist.length > 0) connection.peer.send(this.#standing(user.watchlist))
  }

  leave(connection: Connection): void {
    const { user } = connection
    if (!user) return
    connection.user = undefined
    for (const id of user.watchlist) outOf(this.#watchers, id, connection)
    if (outOf(this.#connections, user.id, connection)) this.#tellWatchers(user.id, 'offline')
  }

  send(userId: string, frame: Frame, except?: Connection): void {
    for (const connection of this.#connections.get(userId) ?? [])
      if (connection !== except) connection.peer.send(frame)
  }

  #tellWatchers(userId: string, name: 'online' | 'offline'): void {
    const watchers = this.#watchers.get(userId)
    if (!watchers) return
    const frame = watchFrame([{ name, user_ids: [userId] }])
    for (const watcher of watchers) watcher.peer.send(frame)
  }

  #standing(watchlist: readonly string[]): Frame {
    const byState = Map.groupBy(watchlist, (id) => (this.#connections.has(id) ? 'online' : 'offline'))
    return watchFrame([...byState].map(([name, user_ids]) => ({ name, user_ids })))
  }
}

const watchFrame = (
  events: ReadonlyArray<{ readonly name: string; readonly user_ids: readonly string[] }>,
): Frame => serverFrame('pusher_internal:watchlist_events', { events })

/** True when it is the first of its name. */
function into(sets: Map<string, Set<Connection>>, name: string, connection: Connection): boolean {
  const known = sets.get(name)
  if (known) {
    known.add(connection)
    return false
  }
  sets.set(name, new Set([connection]))
  return true
}

/** True when it was the last of its name. */
function outOf(sets: Map<string, Set<Connection>>, name: string, connection: Connection): boolean {
  const known = sets.get(name)
  if (!known?.delete(connection) || known.size > 0) return false
  return sets.delete(name)
}
