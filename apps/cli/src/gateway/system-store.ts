import { execFile } from 'node:child_process'
import { access, type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { getCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { ClientError } from '#/exit.ts'
import { fingerprintOf, type RootCertificate } from './certificate.ts'

/** The trust store of the operating system, as far as this client touches it. */
export interface SystemStore {
  /** Fingerprints of the certificates that the system trusts. Throws when it cannot be read. */
  fingerprints(): ReadonlySet<string>
  /** Why this process cannot install a certificate; undefined when it can. */
  obstacle(): Promise<string | undefined>
  /** Installs a certificate under a name. Throws when that fails. */
  install(name: string, pem: string): Promise<void>
}

export type SystemTrust = 'trusted' | 'installed' | 'absent'

/** The third stage of trust (GW-054): looks into the system's store, and adds the root when that was asked for. */
export async function updateSystemStore(
  store: SystemStore,
  name: string,
  root: RootCertificate,
  wanted: boolean,
): Promise<SystemTrust> {
  if (read(store).has(root.fingerprint)) return 'trusted'
  if (!wanted) return 'absent'
  const obstacle = await store.obstacle()
  if (obstacle !== undefined)
    throw new ClientError('gateway.ca_install_failed', obstacle, {
      next: "Omit --system; fleet itself does not need the system's trust store.",
    })
  try {
    await store.install(name, root.pem)
  } catch (cause) {
    throw new ClientError(
      'gateway.ca_install_failed',
      `The trust store of this system could not be updated: ${messageOf(cause)}`,
      { cause },
    )
  }
  return 'installed'
}

function read(store: SystemStore): ReadonlySet<string> {
  try {
    return store.fingerprints()
  } catch (cause) {
    throw new ClientError(
      'gateway.ca_store_failed',
      `The trust store of this system could not be read: ${messageOf(cause)}`,
      { cause },
    )
  }
}

const DEBIAN_FOLDER = 'usr/local/share/ca-certificates'
const DEBIAN_UPDATE = 'usr/sbin/update-ca-certificates'

/** Debian's store, of the system below `root`; other systems can be read but not changed. */
export const debianStore = (
  root: string,
  isRoot: () => boolean,
): Pick<SystemStore, 'obstacle' | 'install'> => ({
  async obstacle() {
    const isDebian = await access(join(root, DEBIAN_UPDATE)).then(
      () => true,
      () => false,
    )
    if (!isDebian) return 'Fleet cannot update the trust store of this system.'
    return isRoot() ? undefined : 'Only root can update the trust store of this system.'
  },
  async install(name, pem) {
    const folder = join(root, DEBIAN_FOLDER)
    // A managed Node has the root of its own fleet as `fleet-gateway.crt`, whatever a profile is called.
    await place(join(folder, `fleet-profile-${name}.crt`), pem)
    if (name !== NODE_TRUST) await rm(join(folder, `fleet-${name}.crt`), { force: true })
    await promisify(execFile)(join(root, DEBIAN_UPDATE), [], { timeout: 60_000 })
  },
})

/** Earlier releases used names like this one for profiles as well. */
const NODE_TRUST = 'gateway'

/** For everybody to read, and renamed into place: the updater may run at any time and must not read half a file. */
async function place(path: string, text: string): Promise<void> {
  await synced(`${path}.new`, 'w', async (file) => {
    await file.writeFile(text)
    // A process's own mask may be narrower.
    await file.chmod(0o644)
  })
  await rename(`${path}.new`, path)
  await synced(dirname(path), 'r')
}

async function synced(
  path: string,
  flags: 'r' | 'w',
  work?: (file: FileHandle) => Promise<void>,
): Promise<void> {
  await using file = await open(path, flags)
  await work?.(file)
  await file.sync()
}

export const systemStore: SystemStore = {
  fingerprints: () => new Set(getCACertificates('system').map(fingerprintOf)),
  ...debianStore('/', () => process.getuid?.() === 0),
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
