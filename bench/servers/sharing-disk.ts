import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execute } from '../ssh-server.ts'

/** A file system of its own that shares blocks between files, in a file. */
export interface SharingDisk extends AsyncDisposable {
  readonly folder: string
}

export type SharingKind = 'xfs' | 'btrfs'

/** Why there is none on this machine, or undefined. */
export async function missingDisk(kind: SharingKind): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'needs root: it mounts a file system'
  const has = await execute('sh', ['-c', `command -v mkfs.${kind}`]).then(
    () => true,
    () => false,
  )
  return has ? undefined : `no mkfs.${kind}: apt-get install xfsprogs btrfs-progs`
}

export async function mountDisk(kind: SharingKind, megabytes: number): Promise<SharingDisk> {
  const root = mkdtempSync(join(tmpdir(), `fleet-${kind}-`))
  const [image, folder] = [join(root, 'disk.img'), join(root, 'disk')]
  mkdirSync(folder)
  await execute('truncate', ['-s', `${megabytes}M`, image])
  await execute(`mkfs.${kind}`, [kind === 'xfs' ? '-q' : '--quiet', image])
  await execute('mount', ['-o', 'loop', '-t', kind, image, folder])
  return {
    folder,
    [Symbol.asyncDispose]: async () => {
      await execute('umount', [folder])
      rmSync(root, { recursive: true, force: true })
    },
  }
}
