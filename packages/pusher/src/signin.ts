import type { AppState } from '#/app-state.ts'
import { type ClientMessage, parseObject } from '#/client-message.ts'
import { errorCodes } from '#/close-codes.ts'
import type { Connection } from '#/connection.ts'
import { errorFrame, serverFrame } from '#/frame.ts'
import { PUSHER_LIMITS } from '#/limits.ts'
import { sameText, userAuth } from '#/signatures.ts'
import { userIdOf } from '#/user-id.ts'

type Signin = Extract<ClientMessage, { readonly kind: 'signin' }>

/** Says who the user of a connection is. A wrong signature ends the connection: somebody claims to be another. */
export function signIn(app: AppState, connection: Connection, { auth, userData }: Signin): void {
  const { peer } = connection
  if (!sameText(auth, userAuth(app.settings, peer.socketId, userData)))
    return app.end(connection, 'unauthorized')
  const data = parseObject(userData)
  const id = userIdOf(data?.['id'])
  if (id === undefined) return peer.send(errorFrame('user_data needs an `id`.', null))
  if (connection.user !== undefined && connection.user.id !== id)
    return peer.send(errorFrame('Another user has signed in on this connection.', null))
  const { watchlistUsers } = PUSHER_LIMITS
  const watched = idsOf(data?.['watchlist'])
  peer.send(serverFrame('pusher:signin_success', { user_data: userData }))
  if (watched.length > watchlistUsers)
    peer.send(
      errorFrame(
        `Only the first ${watchlistUsers} users of the watchlist count.`,
        errorCodes.watchlistTooLong,
      ),
    )
  app.users.join(connection, { id, watchlist: watched.slice(0, watchlistUsers) })
}

const idsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? [...new Set(value.map(userIdOf).filter((id) => id !== undefined))] : []
