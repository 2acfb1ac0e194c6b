import { ClientError, EXIT } from '#/exit.ts'

/** The embedded fleet of this checkout, which needs no profile. */
export const EMBEDDED = 'embedded'

/** A gateway this client knows. */
export interface Profile {
  readonly name: string
  /** Origin, always https. */
  readonly url: string
  /** SHA-256 of the root certificate's DER form: 64 lowercase hexadecimal characters. */
  readonly pin: string
  /** PEM text of the root certificate. */
  readonly ca: string
}

/** The name, or `gateway.profile_invalid`. */
export function checkedName(name: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,62}$/i.test(name) && name !== EMBEDDED) return name
  throw invalid(
    name === EMBEDDED
      ? `The name ${EMBEDDED} is reserved for the embedded fleet of this checkout.`
      : 'A profile name must be 1 to 63 letters, digits, dots, hyphens or underscores.',
  )
}

/** The origin of an https address, or `gateway.profile_invalid`. */
export function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:') throw invalid('The URL of a gateway must start with https://.')
  if (url.username !== '' || url.password !== '')
    throw invalid(
      'The URL of a gateway must not contain credentials: the caller is identified by its address.',
    )
  if ((url.pathname !== '/' && url.pathname !== '') || url.search !== '' || url.hash !== '')
    throw invalid('The URL of a gateway must be an origin, without a path.')
  return url.origin
}

/** The fingerprint as lowercase hexadecimal, or `gateway.ca_pin_invalid`. It may contain colons and the word SHA256. */
export function checkedPin(text: string): string {
  const pin = text
    .toLowerCase()
    .replace(/^sha-?256[:=\s]*/, '')
    .replaceAll(/[:\s]/g, '')
  if (/^[0-9a-f]{64}$/.test(pin)) return pin
  throw new ClientError(
    'gateway.ca_pin_invalid',
    'A fingerprint must be a SHA-256 digest: 64 hexadecimal characters.',
    {
      exit: EXIT.usage,
    },
  )
}

const invalid = (message: string): ClientError =>
  new ClientError('gateway.profile_invalid', message, { exit: EXIT.usage })
