import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Secret } from '@fleet/kernel'
import { Refusal } from '#/console/refusal.ts'

/** magic, salt, nonce, AES-256-GCM of the content, tag. */
const MAGIC = Buffer.from('FLEETBK1', 'latin1')
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = MAGIC.length + SALT_BYTES + NONCE_BYTES
/** A guess costs 128 MB and about half a second. */
const WORK = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 } as const

const keyOf = (passphrase: Secret, salt: Buffer): Buffer => scryptSync(passphrase.reveal(), salt, 32, WORK)

/** Encrypts a file into another. */
export async function sealFile(from: string, to: string, passphrase: Secret): Promise<void> {
  const salt = randomBytes(SALT_BYTES)
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyOf(passphrase, salt), nonce)
  const head = Buffer.concat([MAGIC, salt, nonce])
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

/** Decrypts a file into another. Throws Refusal for another passphrase or a damaged file; what was written then is nothing worth. */
export async function openFile(from: string, to: string, passphrase: Secret): Promise<void> {
  const head = await headOf(from)
  const { size } = await stat(from)
  if (size < HEAD_BYTES + TAG_BYTES) throw damaged()
  const salt = head.subarray(MAGIC.length, MAGIC.length + SALT_BYTES)
  const decipher = createDecipheriv(
    'aes-256-gcm',
    keyOf(passphrase, salt),
    head.subarray(MAGIC.length + SALT_BYTES),
  )
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
    'The backup does not open: the passphrase is another, or the file is damaged.',
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
