// The library needs this before its first use.
import 'reflect-metadata'
import { createPublicKey, type KeyObject, randomBytes, webcrypto } from 'node:crypto'
import x509 from '@peculiar/x509'

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const

export interface Validity {
  readonly notBefore: Date
  readonly notAfter: Date
}

export interface LeafRequest extends Validity {
  /** DNS names and IP addresses that clients may use; at least one in all. */
  readonly names: readonly string[]
  readonly addresses: readonly string[]
}

/** A self-signed root that may sign leaves and no further authorities. */
export async function signRoot(
  name: string | x509.Name,
  key: KeyObject,
  validity: Validity,
): Promise<string> {
  const keys = await pairOf(key)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: typeof name === 'string' ? distinguishedName(name) : name,
    serialNumber: newSerial(),
    keys,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return certificate.toString('pem')
}

/** The name of a certificate, as it is encoded there. */
export const nameOf = (certificate: string): x509.Name => new x509.X509Certificate(certificate).subjectName

/** A server certificate for `key`, signed by the root. */
export async function signLeaf(
  root: { readonly certificate: string; readonly key: KeyObject },
  key: KeyObject,
  request: LeafRequest,
): Promise<string> {
  const issuer = new x509.X509Certificate(root.certificate)
  const { publicKey } = await pairOf(key)
  const certificate = await x509.X509CertificateGenerator.create({
    notBefore: request.notBefore,
    notAfter: request.notAfter,
    subject: distinguishedName(commonName(request)),
    issuer: issuer.subjectName,
    serialNumber: newSerial(),
    publicKey,
    signingKey: (await pairOf(root.key)).privateKey,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(alternativeNames(request)),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
  return certificate.toString('pem')
}

const alternativeNames = ({ names, addresses }: LeafRequest): x509.JsonGeneralNames => [
  ...names.map((value) => ({ type: 'dns', value }) as const),
  ...addresses.map((value) => ({ type: 'ip', value }) as const),
]

// RFC 5280 allows 64 characters; clients look at the alternative names only, so a longer name may be left out here.
const commonName = ({ names, addresses }: LeafRequest): string =>
  [...names, ...addresses].find((name) => name.length <= 64) ?? 'fleet'

const distinguishedName = (name: string): x509.JsonName => [{ CN: [name] }]

// RFC 5280: positive and at most 20 bytes. A set bit in front keeps the length, a clear sign bit the sign.
const newSerial = (): string => {
  const bytes = randomBytes(16)
  bytes.writeUInt8((bytes.readUInt8(0) & 0x7f) | 0x40, 0)
  return bytes.toString('hex')
}

const pairOf = async (key: KeyObject): Promise<webcrypto.CryptoKeyPair> => {
  const load = (
    format: 'pkcs8' | 'spki',
    der: Buffer,
    uses: webcrypto.KeyUsage[],
  ): Promise<webcrypto.CryptoKey> =>
    webcrypto.subtle.importKey(format, Uint8Array.from(der), CURVE, true, uses)
  return {
    privateKey: await load('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), ['sign']),
    publicKey: await load('spki', createPublicKey(key).export({ type: 'spki', format: 'der' }), ['verify']),
  }
}
