import { once } from 'node:events'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { checkServerIdentity, connect } from 'node:tls'
import type { TlsRule } from '#/access.ts'
import { DatabaseFailure } from '#/failure.ts'

/** Nothing is known of the server, so who listens is kept out, not who answers in its place (decision 0197). */
export const PREFER: TlsRule = { mode: 'prefer', host: '' }

const VERIFYING: ReadonlySet<TlsRule['mode']> = new Set(['verify-ca', 'verify-full'])

/** Whether to speak TLS with a server that offers it, or not. Throws DatabaseFailure where the rule forbids to go on without. */
export function wantsTls({ mode }: TlsRule, isOffered: boolean): boolean {
  if (isOffered || mode === 'disable' || mode === 'prefer') return isOffered && mode !== 'disable'
  throw new DatabaseFailure(
    'database.query_failed',
    'The database server offers no TLS, which the connection asks for. Nothing was sent to it.',
    { reason: 'tls' },
  )
}

/** TLS over a stream whose server has agreed to it. Throws DatabaseFailure for a certificate that the rule does not accept. */
export async function secured(stream: Duplex, { mode, host, authority }: TlsRule): Promise<Duplex> {
  const secure = connect({
    socket: stream,
    host,
    // An address is no name of a server (RFC 6066, 3).
    ...(host !== '' && isIP(host) === 0 ? { servername: host } : {}),
    ...(authority === undefined ? {} : { ca: authority }),
    rejectUnauthorized: VERIFYING.has(mode),
    checkServerIdentity: (_name, certificate) =>
      mode === 'verify-full' ? checkServerIdentity(host, certificate) : undefined,
  })
  try {
    await once(secure, 'secureConnect')
  } catch (error) {
    secure.destroy()
    throw certificateFailure(error) ?? error
  }
  return secure
}

/** Errors of OpenSSL about a certificate have codes of their own; those of a broken stream are the caller's to name. */
function certificateFailure(error: unknown): DatabaseFailure | undefined {
  const condition: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  if (typeof condition !== 'string' || !CERTIFICATE.test(condition)) return undefined
  return new DatabaseFailure(
    'database.query_failed',
    `The certificate of the database server was not accepted (${condition}). Nothing was sent to it.`,
    { reason: 'tls', condition },
  )
}

const CERTIFICATE = /CERT|ISSUER|CRL|CHAIN|PURPOSE|KEY_USAGE|SIGNATURE|CA_|PATH_LENGTH/
