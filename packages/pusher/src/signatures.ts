import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '@fleet/kernel'

/** The public key and the secret of one application. */
export interface AppCredentials {
  readonly key: string
  readonly secret: Secret
}

const hmac = (secret: Secret, text: string): string =>
  createHmac('sha256', secret.reveal()).update(text).digest('hex')

/** `key:signature` for a private channel, or with the exact `channel_data` text for a presence channel. */
export function channelAuth(
  { key, secret }: AppCredentials,
  socketId: string,
  channel: string,
  channelData?: string,
): string {
  const subject =
    channelData === undefined ? `${socketId}:${channel}` : `${socketId}:${channel}:${channelData}`
  return `${key}:${hmac(secret, subject)}`
}

/** `key:signature` of a user who signs in with the exact `user_data` text. */
export const userAuth = ({ key, secret }: AppCredentials, socketId: string, userData: string): string =>
  `${key}:${hmac(secret, `${socketId}::user::${userData}`)}`

/** Compares without revealing by timing how much of it was right. */
export function sameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

export const bodyMd5 = (body: string | Buffer): string => createHash('md5').update(body).digest('hex')

/** A request of the HTTP API as its signature sees it. */
export interface SignedRequest {
  readonly method: string
  /** Path without query, as in the request line. */
  readonly path: string
  /** Decoded parameters; several of one name are joined by commas. */
  readonly query: Readonly<Record<string, string>>
}

/** The text that a publisher signs: method, path and every parameter but the signature, names in lower case and sorted. */
export function requestText({ method, path, query }: SignedRequest): string {
  const parameters = Object.entries(query)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => name !== 'auth_signature')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
  return [method.toUpperCase(), path, parameters.join('&')].join('\n')
}

export const requestSignature = (secret: Secret, request: SignedRequest): string =>
  hmac(secret, requestText(request))

/** The signed query of a request that somebody sends. `seconds` is the sender's Unix time. */
export function signRequest(
  { key, secret }: AppCredentials,
  request: SignedRequest,
  body: string,
  seconds: number,
): Readonly<Record<string, string>> {
  const query = {
    ...request.query,
    auth_key: key,
    auth_timestamp: String(seconds),
    auth_version: '1.0',
    ...(body === '' ? {} : { body_md5: bodyMd5(body) }),
  }
  return { ...query, auth_signature: requestSignature(secret, { ...request, query }) }
}
