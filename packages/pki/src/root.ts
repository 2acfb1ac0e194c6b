import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '@fleet/kernel'
import { makeFile, replaceFile } from '#/atomic-file.ts'
import { fingerprint, privateKeyPem } from '#/pem.ts'

const CERTIFICATE_FILE = 'root.crt'
const KEY_FILE = 'root.key'
const DAY_MILLISECONDS = 86_400_000
const ROOT_DAYS = 3652
// A client whose clock is behind must not see a certificate from its future.
export const BACKDATE_MILLISECONDS = 3_600_000
/** A root is made once, maybe by a clock that was read in another time zone and is corrected soon afterwards. */
const ROOT_BACKDATE_MILLISECONDS = DAY_MILLISECONDS

/** What clients trust. */
export interface RootCertificate {
  readonly certificate: string
  /** SHA-256 of the DER form, lowercase hexadecimal. */
  readonly sha256: string
  /** SHA-256 of its public key, which a renewal keeps. */
  readonly keySha256: string
  readonly notBefore: Date
  readonly notAfter: Date
}

/** The fleet's own authority, able to sign. */
export interface Root extends RootCertificate {
  readonly key: KeyObject
}

/** The root cannot be read, its two files don't belong together, or it has ended. The gateway answers `ca.unavailable` (GW-053). */
export class RootUnavailable extends Error {
  override readonly name = 'RootUnavailable'
}

export interface EnsureRootOptions {
  readonly directory: string
  readonly clock: Clock
  /** Common name, as people see it in a trust store. */
  readonly name: string
}

/**
 * The root of this directory, made at the first start. An existing one is never replaced, because every client trusts
 * it by its fingerprint: a broken one throws RootUnavailable.
 */
export async function ensureRoot({ directory, clock, name }: EnsureRootOptions): Promise<Root> {
  const paths = pathsIn(directory)
  if (existsSync(paths.certificate)) return readRoot(directory)
  // The key comes first: a start that died between the two left an unused key, and the next one continues with it.
  if (!existsSync(paths.key)) makeFile(paths.key, privateKeyPem(newKey()), 0o600)
  // Loaded only when something is signed: the library costs a start some 80 ms.
  const { signRoot } = await import('#/sign.ts')
  makeFile(paths.certificate, await signRoot(name, readKey(paths.key), validityFrom(clock)), 0o644)
  return readRoot(directory)
}

/**
 * Another certificate of the same name and key, valid for ten years from now: leaves of either verify against both
 * (decision 0348). Throws RootUnavailable.
 */
export async function renewRoot({ directory, clock }: Omit<EnsureRootOptions, 'name'>): Promise<Root> {
  const { certificate, key } = readRoot(directory)
  const { nameOf, signRoot } = await import('#/sign.ts')
  const renewed = await signRoot(nameOf(certificate), key, validityFrom(clock))
  replaceFile(pathsIn(directory).certificate, renewed, 0o644)
  return readRoot(directory)
}

/** Throws RootUnavailable where the root has ended: nobody would accept what it signs. */
export function requireCurrent({ notAfter }: Pick<RootCertificate, 'notAfter'>, now: Date): void {
  if (now < notAfter) return
  throw new RootUnavailable(
    `the root certificate of the fleet ended on ${notAfter.toISOString()}: renew it with fleet-gateway renew-root on the gateway`,
  )
}

/** Throws RootUnavailable when a file is missing, broken, or belongs to another root. */
export function readRoot(directory: string): Root {
  const root = readRootCertificate(directory)
  const key = readKey(pathsIn(directory).key)
  if (new X509Certificate(root.certificate).checkPrivateKey(key)) return { ...root, key }
  throw new RootUnavailable(`${KEY_FILE} and ${CERTIFICATE_FILE} in ${directory} do not belong together`)
}

/** The certificate alone, for those who hand it out (GW-052). Throws RootUnavailable. */
export function readRootCertificate(directory: string): RootCertificate {
  const path = pathsIn(directory).certificate
  const parsed = orUnavailable(path, () => new X509Certificate(readFileSync(path)))
  // What is accepted by its key must have been signed with it.
  if (!parsed.ca || !parsed.verify(parsed.publicKey))
    throw new RootUnavailable(`${path} is not the certificate of an authority`)
  return {
    certificate: parsed.toString(),
    sha256: fingerprint(parsed),
    keySha256: digestOf(parsed.publicKey),
    notBefore: parsed.validFromDate,
    notAfter: parsed.validToDate,
  }
}

/** A fresh ECDSA key on P-256, the curve every TLS client knows. */
export const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

const digestOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')

const validityFrom = (clock: Clock): { readonly notBefore: Date; readonly notAfter: Date } => ({
  notBefore: new Date(clock.now().getTime() - ROOT_BACKDATE_MILLISECONDS),
  notAfter: new Date(clock.now().getTime() + ROOT_DAYS * DAY_MILLISECONDS),
})

const pathsIn = (directory: string): { readonly certificate: string; readonly key: string } => ({
  certificate: join(directory, CERTIFICATE_FILE),
  key: join(directory, KEY_FILE),
})

const readKey = (path: string): KeyObject => orUnavailable(path, () => createPrivateKey(readFileSync(path)))

const orUnavailable = <T>(path: string, read: () => T): T => {
  try {
    return read()
  } catch (error) {
    throw new RootUnavailable(`${path} cannot be read`, { cause: error })
  }
}
