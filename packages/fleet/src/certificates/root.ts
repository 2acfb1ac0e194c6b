import { fail } from '@fleet/contract'
import { readRoot, readRootCertificate, requireCurrent, type Root } from '@fleet/pki'

/** PEM of the root. Throws `ca.unavailable`. */
export const rootCertificateOf = (caDirectory: string): string =>
  orUnavailable(() => readRootCertificate(caDirectory).certificate)

/** When the root ends. Throws `ca.unavailable`. */
export const rootEndOf = (caDirectory: string): Date =>
  orUnavailable(() => readRootCertificate(caDirectory).notAfter)

/** The root with its key, to sign. Throws `ca.unavailable`, also of a root that has ended. */
export const signingRootOf = (caDirectory: string, now: Date): Root =>
  orUnavailable(() => {
    const root = readRoot(caDirectory)
    requireCurrent(root, now)
    return root
  })

function orUnavailable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw fail('ca.unavailable', { cause: error })
  }
}
