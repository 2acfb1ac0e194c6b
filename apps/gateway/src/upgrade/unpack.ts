import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '@fleet/shell'
import { PLACES } from '#/console/places.ts'
import { must } from '#/console/programs.ts'
import { Refusal } from '#/console/refusal.ts'

const UNPACKING = join(PLACES.releases, '.unpacking')

/** Unpacks the archive of a release beside the releases, and the executable in it. Answers the folder. */
export async function unpacked(archive: string): Promise<string> {
  rmSync(UNPACKING, { recursive: true, force: true })
  mkdirSync(UNPACKING, { recursive: true, mode: 0o700 })
  await must(run('tar', '-xzf', archive, '--no-same-owner', '-C', UNPACKING))
  const [name, ...more] = readdirSync(UNPACKING)
  if (name === undefined || more.length > 0) throw new Refusal(`${archive} is not the archive of a release.`)
  const folder = join(UNPACKING, name)
  // The executable travels compressed; `-k` keeps what verifies later.
  await must(run('gzip', '-dkf', '--', join(folder, 'bin/fleet.gz')))
  await must(run('chmod', '0755', '--', join(folder, 'bin/fleet')))
  return folder
}
