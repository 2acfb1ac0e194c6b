import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Ids, Secret } from '@fleet/kernel'
import { makeFile } from '@fleet/pki'
import { generateSshKey } from '@fleet/ssh'

/** The same after a restart, so that locks of a killed run can be told from those of another gateway. */
export function ensureGatewayId(path: string, ids: Ids): string {
  if (!existsSync(path)) makeFile(path, `${ids.uuid()}\n`, 0o600)
  return readFileSync(path, 'utf8').trim()
}

export interface SshIdentity {
  readonly privateKey: Secret
  /** One line for `authorized_keys`. */
  readonly publicKey: string
}

/** The key with which the gateway logs in on every Node, made at the first start. */
export function ensureSshKey(path: string): SshIdentity {
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    makeFile(path, generateSshKey().privateKey.reveal(), 0o600)
  }
  return readSshKey(readFileSync(path, 'utf8'))
}
