import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import type { AptSource } from './apt-sources.ts'
import { BASE_PACKAGES, contentKey } from './packages.ts'
import { CACHE_FOLDER } from './place.ts'
import { program } from './program.ts'

const BUILD_SECONDS = 900

/** A finished tree in the cache. */
export interface Tree {
  readonly path: string
  /** True when it was there already. */
  readonly cached: boolean
}

/** The architecture of this machine in Debian's words. */
export const machineArchitecture = async (): Promise<string> =>
  (await program(['dpkg', '--print-architecture'])).trim()

/** The tree that every host stands on, made by debootstrap when the cache lacks it: about 45 seconds and 280 MB. */
export async function ensureBaseTree(source: AptSource): Promise<Tree> {
  const architecture = await machineArchitecture()
  const path = join(CACHE_FOLDER, `base-${contentKey([source.suite, architecture, ...BASE_PACKAGES])}`)
  return buildOnce(path, (building) => build(building, source))
}

/**
 * Builds into a folder of its own and renames it at the end, so that a tree in the cache is always whole; of two that
 * build the same at once the first stays.
 */
export async function buildOnce(path: string, work: (building: string) => Promise<void>): Promise<Tree> {
  if (existsSync(path)) return { path, cached: true }
  mkdirSync(CACHE_FOLDER, { recursive: true, mode: 0o700 })
  const building = `${path}.building-${process.pid}`
  try {
    await work(building)
    if (!existsSync(path)) renameSync(building, path)
  } finally {
    rmSync(building, { recursive: true, force: true })
  }
  return { path, cached: false }
}

async function build(tree: string, { mirror, suite, keyring, text, format }: AptSource): Promise<void> {
  const include = `--include=${BASE_PACKAGES.join(',')}`
  const words = ['--variant=minbase', `--keyring=${keyring}`, include, suite, tree, mirror]
  await program(['debootstrap', ...words], { timeoutSeconds: BUILD_SECONDS })
  rmSync(join(tree, 'etc/apt/sources.list'), { force: true })
  writeFileSync(join(tree, 'etc/apt/sources.list.d', `machine.${format}`), text)
  if (!existsSync(join(tree, keyring))) copyFileSync(keyring, join(tree, keyring))
  await trustMachineAuthorities(tree)
  await program(['chroot', tree, 'apt-get', 'clean'])
  // Each host gets its own: shared keys and ids would make all of them the same machine.
  for (const key of globSync(join(tree, 'etc/ssh/ssh_host_*'))) rmSync(key)
  for (const file of ['etc/machine-id', 'var/lib/dbus/machine-id']) rmSync(join(tree, file), { force: true })
  symlinkSync('/etc/machine-id', join(tree, 'var/lib/dbus/machine-id'))
}

/** Where the way to the package mirror passes a proxy with an authority of its own, the hosts pass it too. */
async function trustMachineAuthorities(tree: string): Promise<void> {
  const authorities = globSync('/usr/local/share/ca-certificates/**/*.crt')
  if (authorities.length === 0) return
  const folder = join(tree, 'usr/local/share/ca-certificates')
  for (const file of authorities) copyFileSync(file, join(folder, basename(file)))
  await program(['chroot', tree, 'update-ca-certificates'])
}
