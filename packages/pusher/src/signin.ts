import type { AppState } from '#/app-state.ts'
import { type ClientMessage, parseObject } from '#/client-message.ts'
import { errorCodes } from '#/close-codes.ts'
import type { Connection } from '#/connection.ts'
import { errorFrame, serverFrame } from '#/frame.ts'
import { PUSHER_LIMITS } from '#/limits.ts'
import { sameText, userAuth } from '#/signatures.ts'

type Signin = Extract<ClientMessage, { readonly kind: 'signin' }>

/** Says who the user of a connection is. A wrong signature ends the connection: somebody claims to be another. */
export function signIn(app: AppState, connection: Connection, { auth, userData }: Signin): void {
  const { peer } = connection
  if (!sameText(auth, userAuth(app.settings, peer.socketId, userData))) return peer.close('unauthorized')
  const data = parseObject(userData)
  const id = data?.['id']
  if (typeof id !== 'string' || id === '' || id.length > PUSHER_LIMITS.userIdCharacters)
    return peer.send(errorFrame('user_data needs the text `id`.', null))
  const watchlist = textsOf(data?.['watchlist'])
  if (watchlist.length > PUSHER_LIMITS.watchlistUsers)
    return peer.send(
      errorFrame(
        `A watchlist can have at most ${PUSHER_LIMITS.watchlistUsers} users.`,
        errorCodes.watchlistTooLong,
      ),
    )
  peer.send(serverFrame('pusher:signin_success', { user_data: userData }))
  app.users.join(connection, { id, watchlist })
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? [...new Set(value.filter((item) => typeof item === 'string'))] : []
