import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HostPlace, Place } from './place.ts'
import { program } from './program.ts'

/** The key that may log in as root on every host of a lab. */
export interface LabKey {
  readonly privateKeyFile: string
  /** One line of `authorized_keys`. */
  readonly publicKey: string
}

/** Makes the lab's login key when it is missing. */
export async function ensureLabKey(place: Place): Promise<LabKey> {
  const privateKeyFile = join(place.folder, 'key')
  if (!existsSync(privateKeyFile)) await generate(privateKeyFile, 'lab')
  return { privateKeyFile, publicKey: readFileSync(`${privateKeyFile}.pub`, 'utf8').trim() }
}

const HOST_KEY = 'etc/ssh/ssh_host_ed25519_key'
const hostKey = ({ root }: HostPlace): string => join(root, HOST_KEY)
const pinned = ({ folder }: HostPlace): string => join(folder, 'host_key')

/** Where a host's first key stands in the words of ssh; it stays the same when the key is swapped. */
export const knownHosts = ({ folder }: HostPlace): string => join(folder, 'known_hosts')

/** Gives a new host its key and keeps a copy, so that nobody has to trust the first connection. */
export async function makeHostKey(host: HostPlace, address: string): Promise<void> {
  await generate(hostKey(host), host.name)
  copyPair(hostKey(host), pinned(host))
  trust(host, address)
}

const trust = (host: HostPlace, address: string): void =>
  writeFileSync(knownHosts(host), `${address} ${readFileSync(`${pinned(host)}.pub`, 'utf8')}`)

/** Keeps the key of a host beside its disk. */
export const keepHostKey = (host: HostPlace, folder: string): void =>
  copyPair(pinned(host), join(folder, 'host_key'))

/** Trusts the key that a kept disk brings. */
export function adoptHostKey(host: HostPlace, address: string, folder: string): void {
  copyPair(join(folder, 'host_key'), pinned(host))
  trust(host, address)
}

/** Replaces the key by a fresh one. */
export async function replaceHostKey(host: HostPlace): Promise<void> {
  await generate(hostKey(host), host.name)
}

export const returnHostKey = (host: HostPlace): void => copyPair(pinned(host), hostKey(host))

/** `SHA256:…` of the key that the host was made with. */
export const pinnedFingerprint = (host: HostPlace): Promise<string> => fingerprintOf(`${pinned(host)}.pub`)

/** `SHA256:…` of the key that stands in the host now. */
export const presentFingerprint = (host: HostPlace): Promise<string> => fingerprintOf(`${hostKey(host)}.pub`)

export function authorize(host: HostPlace, publicKey: string): void {
  const folder = join(host.root, 'root/.ssh')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'authorized_keys'), `${publicKey}\n`, { mode: 0o600 })
}

async function fingerprintOf(file: string): Promise<string> {
  const [, fingerprint = ''] = (await program(['ssh-keygen', '-l', '-f', file])).split(' ')
  return fingerprint
}

async function generate(file: string, comment: string): Promise<void> {
  // ssh-keygen asks before it writes over a key.
  for (const path of [file, `${file}.pub`]) rmSync(path, { force: true })
  await program(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', file])
}

function copyPair(from: string, to: string): void {
  copyFileSync(from, to)
  copyFileSync(`${from}.pub`, `${to}.pub`)
}
