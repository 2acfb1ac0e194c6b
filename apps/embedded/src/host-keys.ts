import { existsSync, readFileSync } from 'node:fs'
import { Secret } from '@fleet/kernel'
import { makeFile } from '@fleet/pki'
import { generateSshKey, readSshKey, type SshKey } from '@fleet/ssh'

/** The SSH host key in this file, made at the first start: the store pins its fingerprint, so it must stay. */
export function ensureHostKey(path: string): SshKey {
  if (!existsSync(path)) makeFile(path, generateSshKey().privateKey.reveal(), 0o600)
  return readSshKey(new Secret(readFileSync(path, 'utf8')))
}
