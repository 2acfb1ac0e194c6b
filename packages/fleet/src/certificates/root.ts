import { fail } from '@fleet/contract'
import { readRoot, readRootCertificate, type Root } from '@fleet/pki'

/** PEM of the root. Throws `ca.unavailable`. */
export const rootCertificateOf = (caDirectory: string): string =>
  orUnavailable(() => readRootCertificate(caDirectory).certificate)

/** The root with its key, to sign. Throws `ca.unavailable`. */
export const signingRootOf = (caDirectory: string): Root => orUnavailable(() => readRoot(caDirectory))

function orUnavailable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw fail('ca.unavailable', { cause: error })
  }
}
