import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { Secret } from '@fleet/kernel'
import ssh2, { type ParsedKey } from 'ssh2'

/** A key pair of SSH. */
export interface SshKey {
  /** OpenSSH private key text without passphrase. */
  readonly privateKey: Secret
  /** `ssh-ed25519 AAAA… comment`, as in `authorized_keys`. */
  readonly publicKey: string
  /** `SHA256:` and 43 base64 characters, as `ssh-keygen -l` prints it. */
  readonly fingerprint: string
}

/** A new ed25519 key, for the gateway's login or for a host. */
export function generateSshKey(comment = 'fleet'): SshKey {
  // Not ssh2's own generator: a few in a thousand of its ed25519 keys cannot be read back.
  const { privateKey } = generateKeyPairSync('ed25519')
  return readSshKey(new Secret(opensshOfEd25519(privateKey, comment)))
}

/** The public side of a stored private key (OpenSSH or PKCS8 PEM). Throws when it is none. */
export function readSshKey(privateKey: Secret): SshKey {
  const text = opensshText(privateKey.reveal())
  const key = parsePrivate(text)
  const blob = key.getPublicSSH()
  const comment = key.comment ? ` ${key.comment}` : ''
  return {
    privateKey: new Secret(text),
    publicKey: `${key.type} ${blob.toString('base64')}${comment}`,
    fingerprint: fingerprintOf(blob),
  }
}

/** `SHA256:…` of a public key in SSH wire format. */
export const fingerprintOf = (publicKeyBlob: Uint8Array): string =>
  `SHA256:${createHash('sha256').update(publicKeyBlob).digest('base64').replace(/=+$/, '')}`

/** The wire format of one line of `authorized_keys`. Throws when it is no public key. */
export function publicKeyBlob(line: string): Buffer {
  const key = ssh2.utils.parseKey(line)
  if (key instanceof Error) throw new Error('not a public SSH key', { cause: key })
  return key.getPublicSSH()
}

const parsePrivate = (text: string): ParsedKey => {
  const key = ssh2.utils.parseKey(text)
  // The parser's own message may quote the text, so it is no cause either.
  if (key instanceof Error || !key.isPrivateKey()) throw new Error('not a private SSH key')
  return key
}

/** ssh2 reads OpenSSH's and the older PEM formats, not PKCS8. */
const opensshText = (text: string): string => {
  const pem = `${text.trim()}\n`
  if (!pem.startsWith('-----BEGIN PRIVATE KEY-----')) return pem.trim()
  const key = createPrivateKey(pem)
  if (key.asymmetricKeyType === 'rsa') return key.export({ type: 'pkcs1', format: 'pem' }).trim()
  if (key.asymmetricKeyType === 'ec') return key.export({ type: 'sec1', format: 'pem' }).trim()
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('not a private SSH key')
  return opensshOfEd25519(key)
}

/** OpenSSH's PROTOCOL.key: one unencrypted key, its private part padded to eight bytes. */
const opensshOfEd25519 = (key: KeyObject, comment = ''): string => {
  const { x = '', d = '' } = key.export({ format: 'jwk' })
  const publicBytes = Buffer.from(x, 'base64url')
  const publicPart = Buffer.concat([sized('ssh-ed25519'), sized(publicBytes)])
  const check = randomBytes(4)
  const secret = sized(Buffer.concat([Buffer.from(d, 'base64url'), publicBytes]))
  const bare = Buffer.concat([check, check, publicPart, secret, sized(comment)])
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, (8 - (bare.length % 8)) % 8))
  const file = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...['none', 'none', ''].map(sized),
    Buffer.from([0, 0, 0, 1]),
    sized(publicPart),
    sized(Buffer.concat([bare, padding])),
  ])
  const lines = file.toString('base64').match(/.{1,70}/g) ?? []
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----'].join('\n')
}

const sized = (value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
