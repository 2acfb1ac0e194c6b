import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * `<name>.tar.gz` beside the tree of this name. The executable travels compressed only; `install` unpacks it. Names, owners
 * and times are fixed, so the same tree gives the same archive.
 */
export async function archiveRelease(folder: string, name: string): Promise<string> {
  const archive = join(folder, `${name}.tar.gz`)
  const fixed = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner']
  const words = [
    ...fixed,
    `--exclude=${name}/bin/fleet`,
    '--use-compress-program=gzip -1n',
    '-cf',
    archive,
    name,
  ]
  await promisify(execFile)('tar', words, { cwd: folder })
  return archive
}
