import type { KeyObject, X509Certificate } from 'node:crypto'

/** SHA-256 of a certificate's DER form, lowercase hexadecimal without separators. */
export const fingerprint = (certificate: X509Certificate): string =>
  certificate.fingerprint256.replaceAll(':', '').toLowerCase()

/** A private key as PKCS #8 PEM. */
export const privateKeyPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' })
