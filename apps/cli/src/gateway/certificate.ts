import { X509Certificate } from 'node:crypto'
import { ClientError } from '#/exit.ts'

/** A root certificate as the gateway handed it out, checked as far as it can be alone. */
export interface RootCertificate {
  readonly pem: string
  /** SHA-256 of the DER form, 64 lowercase hexadecimal characters. */
  readonly fingerprint: string
  readonly subject: string
  readonly validTo: string
}

/** Reads one self-signed authority in PEM. Throws `gateway.ca_invalid`. */
export function readRoot(pem: string, now: Date): RootCertificate {
  const certificate = parsed(pem)
  if (!certificate.ca) throw invalid('it is not the certificate of an authority')
  if (!certificate.verify(certificate.publicKey)) throw invalid('it is not self-signed')
  if (certificate.validToDate < now || certificate.validFromDate > now)
    throw invalid(`it is valid from ${certificate.validFrom} to ${certificate.validTo}`)
  return {
    pem: certificate.toString(),
    fingerprint: fingerprintOf(pem),
    subject: certificate.subject.replaceAll('\n', ', '),
    validTo: certificate.validTo,
  }
}

export const fingerprintOf = (pem: string): string =>
  parsed(pem).fingerprint256.replaceAll(':', '').toLowerCase()

/** In groups, for comparing by eye. */
export const grouped = (fingerprint: string): string => fingerprint.replace(/(.{8})(?!$)/g, '$1 ')

function parsed(pem: string): X509Certificate {
  // A second certificate behind the first would be trusted too when the text is used as trust root.
  if ((pem.match(/-----BEGIN /g) ?? []).length !== 1) throw invalid('it is not exactly one PEM certificate')
  try {
    return new X509Certificate(pem)
  } catch (cause) {
    throw invalid('it cannot be read', cause)
  }
}

const invalid = (why: string, cause?: unknown): ClientError =>
  new ClientError('gateway.ca_invalid', `The root certificate is not usable: ${why}.`, { cause })
