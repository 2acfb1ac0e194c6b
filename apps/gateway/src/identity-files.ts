import { existsSync, readFileSync } from 'node:fs'
import { type Ids, Secret } from '@fleet/kernel'
import { makeFile } from '@fleet/pki'
import { generateSshKey, readSshKey, type SshKey } from '@fleet/ssh'

/** The same after a restart, so that locks of a killed run can be distinguished from those of another gateway. */
export function ensureGatewayId(path: string, ids: Ids): string {
  if (!existsSync(path)) makeFile(path, `${ids.uuid()}\n`, 0o600)
  return readFileSync(path, 'utf8').trim()
}

/** The key with which the gateway logs in on every Node, made at the first start. */
export function ensureSshKey(path: string): SshKey {
  if (!existsSync(path)) {
    makeFile(path, generateSshKey().privateKey.reveal(), 0o600)
  }
  return readSshKey(new Secret(readFileSync(path, 'utf8')))
}
