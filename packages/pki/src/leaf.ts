import { X509Certificate } from 'node:crypto'
import { type Clock, Secret } from '@fleet/kernel'
import { fingerprint, privateKeyPem } from '#/pem.ts'
import { BACKDATE_MILLISECONDS, newKey, requireCurrent, type Root } from '#/root.ts'

const DAY_MILLISECONDS = 86_400_000
export const LEAF_DAYS = 90
// Browsers refuse server certificates that are valid for longer (CA/Browser Forum, 398 days with the day of issue).
const MAX_LEAF_DAYS = 397
/** A leaf is due when this part of its lifetime is left (DOC-020). */
const RENEWAL_PART = 6

/** A server certificate and its key, both PEM. The root signs it directly, so the chain is one certificate. */
export interface Leaf {
  readonly certificate: string
  readonly key: Secret
  /** SHA-256 of the DER form, lowercase hexadecimal. */
  readonly sha256: string
  /** From this moment a new one is due. */
  readonly renewAt: Date
  readonly notAfter: Date
}

export interface LeafNames {
  /** DNS names. */
  readonly names: readonly string[]
  /** IP addresses. */
  readonly addresses: readonly string[]
}

export interface IssueLeafOptions extends LeafNames {
  readonly clock: Clock
  /** Whole days of validity, 90 by default and at most 397. */
  readonly days?: number
}

/** Makes a key and has the root sign it. A leaf never outlives its root. Throws RootUnavailable of a root that has ended. */
export async function issueLeaf(root: Root, options: IssueLeafOptions): Promise<Leaf> {
  const { clock, names, addresses, days = LEAF_DAYS } = options
  if (names.length + addresses.length === 0) throw new RangeError('a certificate needs a name or an address')
  if (days < 1 || days > MAX_LEAF_DAYS) throw new RangeError(`a leaf is valid for 1 to ${MAX_LEAF_DAYS} days`)
  requireCurrent(root, clock.now())
  // Loaded only when something is signed: the library costs a start some 80 ms.
  const { signLeaf } = await import('#/sign.ts')
  const now = clock.now().getTime()
  const notAfter = new Date(Math.min(now + days * DAY_MILLISECONDS, root.notAfter.getTime()))
  const notBefore = new Date(now - BACKDATE_MILLISECONDS)
  const key = newKey()
  const certificate = await signLeaf(root, key, { names, addresses, notBefore, notAfter })
  return leafOf(new X509Certificate(certificate), privateKeyPem(key))
}

/** A leaf from its parts, with the dates that its certificate says. */
export const leafOf = (certificate: X509Certificate, keyPem: string): Leaf => {
  return {
    certificate: certificate.toString(),
    key: new Secret(keyPem),
    sha256: fingerprint(certificate),
    renewAt: renewalOf(certificate),
    notAfter: certificate.validToDate,
  }
}

/** When a new one is due: a sixth of the lifetime before the end (DOC-020, RTX-100). */
export const renewalOf = ({ validFromDate, validToDate }: X509Certificate): Date => {
  const lifetime = validToDate.getTime() - validFromDate.getTime()
  return new Date(validToDate.getTime() - lifetime / RENEWAL_PART)
}
