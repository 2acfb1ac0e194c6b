import { X509Certificate } from 'node:crypto'
import { type LeafNames, renewalOf } from '#/leaf.ts'
import { fingerprint } from '#/pem.ts'

/** `due` still serves everybody; from `expired` on a client refuses it. */
export type LeafVerdict = 'good' | 'due' | 'expired' | 'early' | 'other_names' | 'other_root' | 'unreadable'

export interface LeafJudgement {
  readonly verdict: LeafVerdict
  /** Lowercase hexadecimal; undefined for what is no certificate. */
  readonly sha256: string | undefined
  readonly notAfter: Date | undefined
}

export interface LeafExpectations extends Partial<LeafNames> {
  /** Names and addresses that clients connect to: it must be for each of them, whatever else it is for. */
  readonly hosts?: readonly string[]
  /** PEM of the authority that must have signed it directly. */
  readonly root: string
  readonly now: Date
}

/**
 * What a client that trusts this root alone would say of a certificate in PEM, worst first. Names are compared where
 * they are given: then it must be for exactly these.
 */
export function judgeLeaf(certificate: string, expected: LeafExpectations): LeafJudgement {
  const leaf = readable(certificate)
  if (!leaf) return { verdict: 'unreadable', sha256: undefined, notAfter: undefined }
  return { verdict: verdictOf(leaf, expected), sha256: fingerprint(leaf), notAfter: leaf.validToDate }
}

function verdictOf(
  leaf: X509Certificate,
  { root, now, names, addresses, hosts = [] }: LeafExpectations,
): LeafVerdict {
  if (!leaf.verify(new X509Certificate(root).publicKey)) return 'other_root'
  if ((names || addresses) && !covers(leaf, { names: names ?? [], addresses: addresses ?? [] }))
    return 'other_names'
  if (!hosts.every((host) => isFor(leaf, host))) return 'other_names'
  if (now > leaf.validToDate) return 'expired'
  if (now < leaf.validFromDate) return 'early'
  return now < renewalOf(leaf) ? 'good' : 'due'
}

/** True when it is for these names and addresses and no others. */
const covers = (certificate: X509Certificate, { names, addresses }: LeafNames): boolean =>
  (certificate.subjectAltName?.split(', ').length ?? 0) === names.length + addresses.length &&
  names.every((name) => certificate.checkHost(name, { wildcards: false }) !== undefined) &&
  addresses.every((address) => certificate.checkIP(address) !== undefined)

// A client looks at the alternative names only.
const isFor = (certificate: X509Certificate, host: string): boolean =>
  (ADDRESS.test(host) ? certificate.checkIP(host) : certificate.checkHost(host, { subject: 'never' })) !==
  undefined

const ADDRESS = /^[\d.]+$|:/

const readable = (text: string): X509Certificate | undefined => {
  try {
    return new X509Certificate(text)
  } catch {
    return undefined
  }
}
