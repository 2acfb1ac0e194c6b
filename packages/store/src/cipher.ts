import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import { type Ids, Secret } from '@fleet/kernel'
import { appKeyBytes } from '#/app-key.ts'

/** Where a sealed value lives. A ciphertext moved to another place does not open. */
export interface Place {
  readonly table: string
  readonly column: string
  /** Primary key of the row, in a fixed text form such as `7` or `7/APP_KEY`. */
  readonly row: string
}

/** AES-256-GCM under the application key, bound to the place. */
export interface Cipher {
  seal(place: Place, value: Secret): string
  /** Throws SealBroken when the text was made for another place, with another key, or was altered. */
  open(place: Place, sealed: string): Secret
}

/** A sealed text does not open at its place. Names its place and nothing of its content. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'
  readonly place: Place
  constructor(place: Place) {
    super(`the sealed value at ${place.table}.${place.column} of row ${place.row} does not open`)
    this.place = place
  }
}

const ALGORITHM = 'aes-256-gcm'
const VERSION = 'v1:'
const KEY_BYTES = 32
// 96 bits is the nonce GCM is defined for; random ones stay safe for 2^32 values under one key (NIST SP 800-38D, 8.3).
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SEALED_TEXT = /^v1:(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Seals as `v1:` and the base64 of nonce, ciphertext and tag. The key is derived (HKDF-SHA-256), so that other uses of
 * the application key never share a key with this one. Throws AppKeyInvalid.
 */
export function makeCipher(appKey: Secret, ids: Pick<Ids, 'bytes'>): Cipher {
  const key = Buffer.from(hkdfSync('sha256', appKeyBytes(appKey), '', 'fleet store seal v1', KEY_BYTES))
  return {
    seal: (place, value) => {
      const nonce = ids.bytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(bound(place))
      const text = Buffer.concat([cipher.update(value.reveal(), 'utf8'), cipher.final()])
      return VERSION + Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64')
    },
    open: (place, sealed) => {
      try {
        return new Secret(unseal(key, place, sealed))
      } catch {
        throw new SealBroken(place)
      }
    },
  }
}

const unseal = (key: Buffer, place: Place, sealed: string): string => {
  if (!SEALED_TEXT.test(sealed)) throw new TypeError('not a sealed text')
  const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64')
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(bound(place)).setAuthTag(bytes.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString(
    'utf8',
  )
}

// JSON keeps the parts apart: a name that contains a separator can't pass for another place.
const bound = (place: Place): Buffer => Buffer.from(JSON.stringify([place.table, place.column, place.row]))
