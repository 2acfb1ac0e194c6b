import { mkdirSync, mkdtempDisposableSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from '@fleet/shell'
import { PLACES } from '#/console/places.ts'
import { attempt, must } from '#/console/programs.ts'
import { Refusal } from '#/console/refusal.ts'
import { installedEnv } from '#/console/settings-file.ts'
import { gatewayNames } from '#/names.ts'
import { MANIFEST, readManifest } from '#/release/manifest.ts'

export interface ReleasePlaces {
  /** Folder that a relative path begins at: where the command was typed. */
  readonly from: string
  /** Folder that an archive is unpacked into; emptied first. */
  readonly unpacking: string
  /** Name of this gateway in the fleet. */
  readonly gateway: string
}

/** What `tar` and `gzip` say of a file that is not the one that was built. */
const DAMAGED =
  /not in gzip format|does not look like a tar|unexpected eof|unexpected end of file|invalid comp/i

/**
 * The folder of a release that is given as a folder or as its archive, which is unpacked beside the releases. Throws Refusal for
 * what is neither, and for an archive that is not whole.
 */
export async function releaseFolder(
  given: string,
  places: ReleasePlaces = {
    from: process.cwd(),
    unpacking: join(PLACES.releases, '.unpacking'),
    gateway: gatewayNames(installedEnv())[0],
  },
): Promise<string> {
  const path = resolve(places.from, given)
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new Refusal(`${path} does not exist.`)
  return found.isDirectory() ? path : unpacked(path, places)
}

/** The version of a release that is given in the same way; of an archive the manifest alone is read. Throws Refusal. */
export async function releaseVersion(given: string, from: string = process.cwd()): Promise<string> {
  const path = resolve(from, given)
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new Refusal(`${path} does not exist.`)
  if (found.isDirectory()) return readManifest(path).version
  using folder = mkdtempDisposableSync(join(tmpdir(), 'fleet-manifest-'))
  const only = ['--wildcards', '--strip-components=1', `*/${MANIFEST}`] as const
  await must(run('tar', '-xzf', path, '--no-same-owner', '-C', folder.path, ...only))
  return readManifest(folder.path).version
}

async function unpacked(archive: string, { unpacking: into, gateway }: ReleasePlaces): Promise<string> {
  rmSync(into, { recursive: true, force: true })
  mkdirSync(into, { recursive: true, mode: 0o700 })
  const { exitCode, stderr } = await attempt(run('tar', '-xzf', archive, '--no-same-owner', '-C', into))
  const words = stderr.toString('utf8')
  if (exitCode !== 0 && !DAMAGED.test(words))
    throw new Refusal(`${archive} cannot be unpacked: ${words.trim().slice(-LAST_WORDS)}`)
  const [name, ...more] = readdirSync(into)
  if (exitCode !== 0 || name === undefined || more.length > 0)
    throw new Refusal(
      `${archive} is not the whole archive of a release.`,
      `copy it here again, from a Node of the fleet: scp fleet-*.tar.gz root@${gateway}:`,
    )
  const folder = join(into, name)
  // The executable travels compressed; `-k` keeps what verifies later.
  await must(run('gzip', '-dkf', '--', join(folder, 'bin/fleet.gz')))
  await must(run('chmod', '0755', '--', join(folder, 'bin/fleet')))
  return folder
}

const LAST_WORDS = 300
