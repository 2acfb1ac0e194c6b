import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { AptSource } from './apt-sources.ts'
import { BASE_PACKAGES, contentKey } from './packages.ts'
import { CACHE_FOLDER } from './place.ts'
import { program } from './program.ts'

const BUILD_SECONDS = 900
/** Changes with what `build` does to a tree, so that no cached one of another making is taken. */
const MAKING = 'authorities in one file, no modules'

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
  const path = join(
    CACHE_FOLDER,
    `base-${contentKey([MAKING, source.suite, architecture, ...BASE_PACKAGES])}`,
  )
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
  await gatherAuthorities(tree)
  await program(['chroot', tree, 'apt-get', 'clean'])
  // The kernel is that of this machine: a host that tries to load modules waits and comes up degraded.
  symlinkSync('/dev/null', join(tree, 'etc/systemd/system/systemd-modules-load.service'))
  // Each host gets its own: shared keys and ids would make all of them the same machine.
  for (const key of globSync(join(tree, 'etc/ssh/ssh_host_*'))) rmSync(key)
  for (const file of ['etc/machine-id', 'var/lib/dbus/machine-id']) rmSync(join(tree, file), { force: true })
  symlinkSync('/etc/machine-id', join(tree, 'var/lib/dbus/machine-id'))
}

/**
 * All authorities in one file, those of this machine too: the way to the package mirror may pass a proxy with one of its
 * own. `update-ca-certificates` starts some ten programs for each file, and every enrolment runs it.
 */
async function gatherAuthorities(tree: string): Promise<void> {
  const selection = join(tree, 'etc/ca-certificates.conf')
  writeFileSync(selection, readFileSync(selection, 'utf8').replaceAll(/^(?=\w)/gm, '!'))
  const files = [
    ...globSync(join(tree, 'usr/share/ca-certificates/**/*.crt')),
    ...globSync('/usr/local/share/ca-certificates/**/*.crt'),
  ]
  const certificates = files.toSorted().map((file) => readFileSync(file, 'utf8').trim())
  const folder = join(tree, 'usr/local/share/ca-certificates')
  writeFileSync(join(folder, 'authorities.crt'), `${certificates.join('\n')}\n`)
  await program(['chroot', tree, 'update-ca-certificates'])
}
