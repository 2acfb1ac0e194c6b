import { open, realpath, rename, rm } from 'node:fs/promises'
import { dirname, sep } from 'node:path'

const COMPANIONS = ['-wal', '-shm', '-journal'] as const

/** The physical path; undefined when there is none, false when it is not below the root. A link may lead to the data of somebody else. */
export async function pathInside(path: string, root: string): Promise<string | false | undefined> {
  const [found, folder] = await Promise.all([realpath(path), realpath(root)]).catch(() => [])
  if (found === undefined || folder === undefined) return undefined
  const below = folder === sep ? sep : `${folder}${sep}`
  return found === folder || found.startsWith(below) ? found : false
}

/** Gives a new database its name. The log comes first: a database without its own would lose what is only there. */
export async function settle(fresh: string, to: string): Promise<void> {
  await discard(to)
  for (const end of ['-wal', '']) {
    const part = await open(`${fresh}${end}`, 'r').catch(() => undefined)
    if (!part) continue
    await part.sync()
    await part.close()
    await rename(`${fresh}${end}`, `${to}${end}`)
  }
  const folder = await open(dirname(to), 'r')
  await folder.sync()
  await folder.close()
}

/** Removes a database with what belongs to it. */
export async function discard(path: string): Promise<void> {
  for (const end of ['', ...COMPANIONS]) await rm(`${path}${end}`, { force: true })
}
