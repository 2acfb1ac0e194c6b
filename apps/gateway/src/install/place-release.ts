import { copyFileSync, existsSync, mkdirSync, readlinkSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { placeFile, placeLink } from '@fleet/pki'
import { run } from '@fleet/shell'
import { PLACES } from '#/console/places.ts'
import { must } from '#/console/programs.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { verifyRelease } from '#/release/manifest.ts'

/** Version that `current` names; undefined before the first installation. */
export const currentVersion = (): string | undefined =>
  existsSync(PLACES.current) ? basename(readlinkSync(PLACES.current)) : undefined

/** Copies a verified release into its place, whole or not at all. A release of this version with other content is replaced. */
export async function placeRelease({ folder, manifest }: InstalledRelease): Promise<string> {
  const place = join(PLACES.releases, manifest.version)
  if (folder === place) return place
  if (existsSync(place) && (await isSame(place, manifest.files))) return place
  mkdirSync(PLACES.releases, { recursive: true, mode: 0o755 })
  const copying = join(PLACES.releases, `.copying-${manifest.version}`)
  rmSync(copying, { recursive: true, force: true })
  await must(run('cp', '-R', '--preserve=mode,links', '--', folder, copying))
  await must(run('chown', '-R', 'root:root', '--', copying))
  await verifyRelease(copying)
  // On the disk before it has its name: after a power cut a release that is there is whole.
  await must(run('sync', '-f', '--', copying))
  rmSync(place, { recursive: true, force: true })
  placeFile(copying, place)
  return place
}

/** The executable where every Node has it, and the commands that people type. */
export function placeCommands(release: string): void {
  mkdirSync(join(PLACES.base, 'bin'), { recursive: true, mode: 0o755 })
  copyFileSync(join(release, 'bin/fleet'), `${PLACES.executable}.new`)
  placeFile(`${PLACES.executable}.new`, PLACES.executable)
  mkdirSync('/usr/local/bin', { recursive: true })
  if (!existsSync(PLACES.command)) placeLink(PLACES.command, PLACES.executable)
  placeLink(PLACES.console, join(PLACES.current, 'bin/fleet-gateway'))
}

const isSame = async (place: string, files: ReadonlyArray<{ readonly sha256: string }>): Promise<boolean> => {
  try {
    const there = await verifyRelease(place)
    return JSON.stringify(there.files) === JSON.stringify(files)
  } catch {
    return false
  }
}
