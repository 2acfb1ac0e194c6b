import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Secret } from '@fleet/kernel'
import { Refusal } from '#/console/refusal.ts'

/** magic, exponent of the work, salt, nonce, AES-256-GCM of the content, tag. */
const MAGIC = Buffer.from('FLEETBK1', 'latin1')
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SALT_AT = MAGIC.length + 1
const NONCE_AT = SALT_AT + SALT_BYTES
const HEAD_BYTES = NONCE_AT + NONCE_BYTES
/** Of two: a guess costs 128 MB and about half a second. */
const WORK = 17
/** A head that asks for more was not written by Fleet. */
const MOST_WORK = 20

const keyOf = (passphrase: Secret, salt: Buffer, work: number): Buffer =>
  scryptSync(passphrase.reveal(), salt, 32, { N: 2 ** work, r: 8, p: 1, maxmem: 2 ** (work + 11) })

/** Encrypts a file into another. */
export async function sealFile(from: string, to: string, passphrase: Secret, work = WORK): Promise<void> {
  const salt = randomBytes(SALT_BYTES)
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyOf(passphrase, salt, work), nonce)
  const head = Buffer.concat([MAGIC, Buffer.of(work), salt, nonce])
  cipher.setAAD(head)
  const target = createWriteStream(to, { mode: 0o600 })
  target.write(head)
  await pipeline(createReadStream(from), cipher, target, { end: false })
  await new Promise<void>((resolve, reject) => {
    target.once('error', reject)
    target.end(cipher.getAuthTag(), resolve)
  })
}

export async function isSealed(path: string): Promise<boolean> {
  const head = await headOf(path)
  return head.subarray(0, MAGIC.length).equals(MAGIC)
}

/** Whether it is compressed as the archive of a backup is (RFC 1952). */
export const isGzip = async (path: string): Promise<boolean> =>
  (await headOf(path)).subarray(0, GZIP.length).equals(GZIP)

const GZIP = Buffer.of(0x1f, 0x8b)

/** Decrypts a file into another. Throws Refusal for another passphrase or a damaged file; what was written then is nothing worth. */
export async function openFile(from: string, to: string, passphrase: Secret): Promise<void> {
  const head = await headOf(from)
  const { size } = await stat(from)
  if (size < HEAD_BYTES + TAG_BYTES) throw damaged()
  const work = head.readUInt8(MAGIC.length)
  if (work > MOST_WORK) throw damaged()
  const key = keyOf(passphrase, head.subarray(SALT_AT, NONCE_AT), work)
  const decipher = createDecipheriv('aes-256-gcm', key, head.subarray(NONCE_AT))
  decipher.setAAD(head)
  decipher.setAuthTag(await tailOf(from, size))
  const content = createReadStream(from, { start: HEAD_BYTES, end: size - TAG_BYTES - 1 })
  try {
    await pipeline(content, decipher, createWriteStream(to, { mode: 0o600 }))
  } catch (cause) {
    throw damaged(cause)
  }
}

const damaged = (cause?: unknown): Refusal =>
  new Refusal(
    'The backup cannot be decrypted: the passphrase is wrong, or the file is damaged.',
    undefined,
    cause,
  )

async function headOf(path: string): Promise<Buffer> {
  await using file = await open(path, 'r')
  const head = Buffer.alloc(HEAD_BYTES)
  await file.read(head, 0, HEAD_BYTES, 0)
  return head
}

async function tailOf(path: string, size: number): Promise<Buffer> {
  await using file = await open(path, 'r')
  const tag = Buffer.alloc(TAG_BYTES)
  await file.read(tag, 0, TAG_BYTES, size - TAG_BYTES)
  return tag
}
