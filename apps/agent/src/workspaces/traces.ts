import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'

// Without waiting for a writer, should it be a pipe: whose checkout it is may put one there.
const FILE = constants.O_RDONLY | constants.O_NONBLOCK
/** Of what names a commit or a folder. */
const TEXT_BYTES_MAX = 8192

/**
 * What changes in the metadata of a checkout when its state does: cheap to look at every two seconds. Empty where there is
 * no checkout.
 */
export async function tracesOf(path: string, base: string): Promise<string> {
  const folder = await gitFolder(path)
  const common = await commonFolder(folder)
  const head = await textAt(join(folder, 'HEAD'))
  const ref = /^ref: (refs\/[^\0\n]{1,300})$/m.exec(head)?.[1]
  const places = [
    join(folder, 'index'),
    join(folder, 'logs/HEAD'),
    join(common, 'packed-refs'),
    join(common, 'config'),
    join(common, `refs/remotes/origin/${base}`),
    join(common, `refs/heads/${base}`),
    ...(ref === undefined || ref.includes('..') ? [] : [join(common, ref)]),
  ]
  return [head, ...(await Promise.all(places.map(traceOf)))].join('\n')
}

async function traceOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : ''
}

/** A linked worktree has a file that names its folder. */
async function gitFolder(path: string): Promise<string> {
  const place = join(path, '.git')
  const text = await textAt(place)
  const named = /^gitdir: (.+)$/m.exec(text)?.[1]
  return named === undefined ? place : isAbsolute(named) ? named : join(path, named)
}

async function commonFolder(folder: string): Promise<string> {
  const named = (await textAt(join(folder, 'commondir'))).trim()
  return named === '' ? folder : isAbsolute(named) ? named : join(folder, named)
}

/** The beginning of a file; empty where there is none. */
async function textAt(path: string): Promise<string> {
  try {
    await using file = await open(path, FILE)
    if (!(await file.stat()).isFile()) return ''
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(TEXT_BYTES_MAX), position: 0 })
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    return ''
  }
}
