import { PUSHER_LIMITS } from '#/limits.ts'
import { type AppCredentials, bodyMd5, requestSignature, sameText, type SignedRequest } from '#/signatures.ts'

export interface ReceivedRequest extends SignedRequest {
  readonly body: Buffer
}

/** Why a request is not the application's own; undefined for one that is. `seconds` is the server's Unix time. */
export function requestRefusal(
  app: AppCredentials,
  request: ReceivedRequest,
  seconds: number,
): string | undefined {
  const { auth_key, auth_timestamp = '', auth_version, auth_signature, body_md5 } = request.query
  if (auth_key !== app.key) return 'auth_key is not the key of this application.'
  if (auth_version !== '1.0') return 'auth_version must be 1.0.'
  if (!/^\d{1,12}$/.test(auth_timestamp)) return 'auth_timestamp must be a Unix time in seconds.'
  // An old request could be sent again by whoever has seen it.
  if (Math.abs(seconds - Number(auth_timestamp)) > PUSHER_LIMITS.signatureSeconds)
    return `auth_timestamp differs by more than ${PUSHER_LIMITS.signatureSeconds} seconds from the time of the server.`
  if (request.body.length > 0 && body_md5 !== bodyMd5(request.body))
    return 'body_md5 is not the MD5 of the body.'
  if (!sameText(auth_signature ?? '', requestSignature(app.secret, request)))
    return 'auth_signature is wrong.'
  return undefined
}
