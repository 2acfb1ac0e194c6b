import { AnswerError, ApiError, type Route, type Sender, UnreachableError } from '@fleet/sdk/core'
import { ClientError, EXIT } from '#/exit.ts'
import { certificateFault } from './certificate-fault.ts'
import { grouped, readRoot, type RootCertificate } from './certificate.ts'
import type { Profile } from './profile.ts'

/** What the person allowed on the command line. */
export interface TrustWish {
  /** Fingerprint that the certificate must have, already checked for its form. */
  readonly pin: string | undefined
  readonly acceptNew: boolean
  readonly acceptChange: boolean
}

export interface TrustPorts {
  readonly route: Route
  /** A sender that trusts this root alone, or anything when undefined. */
  readonly sender: (ca: string | undefined) => Sender
  readonly now: () => Date
  /** Asks a person to compare a fingerprint; undefined when nobody can be asked. */
  readonly compare: ((root: RootCertificate, question: string) => Promise<boolean>) | undefined
  readonly signal: AbortSignal
}

/** The verified root and the answer of the verified request, letter by letter. */
export interface TrustedRoot {
  readonly root: RootCertificate
  readonly text: string
}

/**
 * The first two stages of trust (GW-054): fetch the root certificate without redirects and check its fingerprint,
 * then repeat the request with that certificate as the only trust root.
 */
export async function establishTrust(
  known: Pick<Profile, 'pin'> | undefined,
  wish: TrustWish,
  ports: TrustPorts,
): Promise<TrustedRoot> {
  const { root } = await fetchRoot(ports.sender(undefined), ports)
  await checkFingerprint(root, known, wish, ports)
  const again = await verified(root, ports)
  // What was confirmed must be what the verified connection says.
  if (again.root.fingerprint !== root.fingerprint)
    throw new ClientError(
      'gateway.ca_verification_failed',
      'Over the verified connection, the gateway returned a different root certificate.',
    )
  return again
}

async function fetchRoot(sender: Sender, { route, signal, now }: TrustPorts): Promise<TrustedRoot> {
  const { data, text } = await sender.send(route, {}, { signal }).catch(fetchFailed)
  const { root_ca: pem, sha256 } = isRootAnswer(data) ? data : { root_ca: '', sha256: '' }
  const root = readRoot(pem, now())
  if (root.fingerprint !== sha256)
    throw new ClientError(
      'gateway.ca_invalid',
      'The root certificate does not match the fingerprint that the gateway reports.',
    )
  return { root, text }
}

function fetchFailed(error: unknown): never {
  if (error instanceof ApiError)
    throw new ClientError(
      'gateway.ca_unavailable',
      `The gateway did not return a root certificate: ${error.code}, ${error.message}`,
      { cause: error, exit: EXIT.refused },
    )
  if (error instanceof UnreachableError || error instanceof AnswerError) {
    const reason = error.cause instanceof Error ? ` (${error.cause.message})` : ''
    throw new ClientError(
      'gateway.ca_fetch_failed',
      `The root certificate could not be fetched. ${error.message}${reason}`,
      { cause: error },
    )
  }
  throw error
}

/** By the pin of the command line, else by the stored one, else by a person. */
async function checkFingerprint(
  root: RootCertificate,
  known: Pick<Profile, 'pin'> | undefined,
  wish: TrustWish,
  ports: TrustPorts,
): Promise<void> {
  if (wish.pin !== undefined && wish.pin !== root.fingerprint) {
    throw new ClientError(
      'gateway.ca_pin_invalid',
      `The gateway has a different root certificate: its fingerprint is ${root.fingerprint}.`,
    )
  }
  if (known && known.pin === root.fingerprint) return
  if (known && !wish.acceptChange) {
    throw new ClientError(
      'gateway.ca_changed',
      `The root certificate of the gateway changed from ${known.pin} to ${root.fingerprint}.`,
      { next: 'If the change is intended, run the command again with --accept-change.' },
    )
  }
  if (wish.pin !== undefined || (!known && wish.acceptNew)) return
  if (!ports.compare) {
    throw new ClientError(
      'gateway.ca_pin_invalid',
      `The fingerprint ${root.fingerprint} must be confirmed, and there is no terminal to ask on.`,
      { exit: EXIT.usage, next: 'Pass the correct fingerprint with --fingerprint.' },
    )
  }
  const question = `Root certificate of the gateway\n  ${root.subject}, valid to ${root.validTo}\n  SHA-256 ${grouped(root.fingerprint)}\nDoes the gateway itself show this fingerprint? [y/N] `
  if (!(await ports.compare(root, question)))
    throw new ClientError('gateway.ca_pin_invalid', 'The fingerprint was not confirmed. Nothing was stored.')
}

async function verified(root: RootCertificate, ports: TrustPorts): Promise<TrustedRoot> {
  try {
    return await fetchRoot(ports.sender(root.pem), ports)
  } catch (cause) {
    const fault = certificateFault(cause)
    if (fault)
      throw new ClientError('gateway.ca_verification_failed', `The certificate of the gateway ${fault.is}.`, {
        next: fault.next,
        cause,
      })
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ClientError(
      'gateway.ca_verification_failed',
      `The certificate of the gateway is not signed by this root certificate. ${reason}`,
      { cause },
    )
  }
}

const isRootAnswer = (data: unknown): data is { readonly root_ca: string; readonly sha256: string } =>
  typeof data === 'object' &&
  data !== null &&
  'root_ca' in data &&
  typeof data.root_ca === 'string' &&
  'sha256' in data &&
  typeof data.sha256 === 'string'
