import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** The id of what a lock names by an address: an address can hold a credential, a digest cannot (DEX-019, DEX-020). */
export const digestId = (manager: 'pnpm' | 'bun', key: string): string =>
  `${manager}:sha256:${bytesToHex(sha256(utf8ToBytes(key)))}`
