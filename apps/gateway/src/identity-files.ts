import { existsSync, readFileSync } from 'node:fs'
import { type Ids, Secret } from '@fleet/kernel'
import { makeFile } from '@fleet/pki'
import { generateSshKey, readSshKey, type SshKey } from '@fleet/ssh'

/** The same after a restart, so that locks of a killed run can be distinguished from those of another gateway. */
export function ensureGatewayId(path: string, ids: Ids): string {
  if (!existsSync(path)) makeFile(path, `${ids.uuid()}\n`, 0o600)
  return readFileSync(path, 'utf8').trim()
}

/** The key with which the gateway logs in on every Node is lost, or is none. */
export class SshKeyUnavailable extends Error {
  override readonly name = 'SshKeyUnavailable'
}

export interface SshKeyOptions {
  readonly path: string
  /** Whether a missing key is made: no Node accepts another one than that of its enrolment. */
  readonly mayMake: boolean
}

/** The key with which the gateway logs in on every Node, made at the first start. Throws SshKeyUnavailable. */
export function ensureSshKey({ path, mayMake }: SshKeyOptions): SshKey {
  if (!existsSync(path)) {
    if (!mayMake) throw unavailable(`${path} is missing`, path)
    makeFile(path, generateSshKey().privateKey.reveal(), 0o600)
  }
  const text = readFileSync(path, 'utf8')
  try {
    return readSshKey(new Secret(text))
  } catch (error) {
    throw unavailable(`${path} is no SSH key without a passphrase`, path, error)
  }
}

const unavailable = (reason: string, path: string, cause?: unknown): SshKeyUnavailable =>
  new SshKeyUnavailable(
    `${reason}, with which this gateway logs in on every Node: put ssh/id_ed25519 of a backup of this gateway there. Without a backup, \`ssh-keygen -t ed25519 -N '' -f ${path}\` makes another, which a Node accepts once its line is in the authorized_keys of the managed user`,
    { cause },
  )
