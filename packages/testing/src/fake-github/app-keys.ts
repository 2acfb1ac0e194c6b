import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto'

export interface AppKeys {
  /** As GitHub hands it over. */
  readonly pem: string
  readonly publicKey: KeyObject
}

let made: AppKeys | undefined

/** One pair for all apps of a test run: to make one takes a while. */
export function appKeys(): AppKeys {
  if (made) return made
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  made = { pem: privateKey.export({ type: 'pkcs1', format: 'pem' }), publicKey }
  return made
}

const decoded = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8')) as Record<string, unknown> // A claim that is none is refused below.

/** The app that a token of its own proves at this time; undefined for any other header. */
export function appOf(authorization: string | undefined, now: Date): number | undefined {
  const token = /^bearer (\S+\.\S+\.\S+)$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) return undefined
  const [head, claims, signature = ''] = token.split('.')
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(`${head}.${claims}`),
    appKeys().publicKey,
    Buffer.from(signature, 'base64url'),
  )
  const { iat, exp, iss } = decoded(claims)
  const seconds = now.getTime() / 1000
  const isTimely = Number(iat) <= seconds && Number(exp) > seconds && Number(exp) <= seconds + 600
  return isSigned && isTimely ? Number(iss) : undefined
}
