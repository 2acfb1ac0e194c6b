import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = '/run/systemd/nspawn'

/** Removes what systemd-nspawn leaves behind for a container that was killed. */
export function removeTraces(id: string): void {
  rmSync(join(FOLDER, 'propagate', id), { recursive: true, force: true })
}

/** Removes its lock on a mounted tree; the name is built from the tree's own numbers. */
export function removeLock(root: string): void {
  const { dev, ino } = statSync(root)
  rmSync(join(FOLDER, 'locks', `inode-${dev}:${ino}`), { force: true })
}

/** Ids of containers that left something behind, by prefix. */
export function tracesOf(prefix: string): readonly string[] {
  try {
    return readdirSync(join(FOLDER, 'propagate')).filter((id) => id.startsWith(`${prefix}-`))
  } catch {
    return []
  }
}
