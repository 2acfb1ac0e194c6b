import { statfs } from 'node:fs/promises'
import { Refusal } from '#/console/refusal.ts'

const MEGABYTE = 1024 * 1024

/** Refuses an upgrade that would fill a disk (SET-001). */
export async function requireSpace(paths: readonly string[], leastMegabytes: number): Promise<void> {
  for (const path of paths) {
    const { bavail, bsize } = await statfs(path)
    const free = Math.floor((bavail * bsize) / MEGABYTE)
    if (free < leastMegabytes)
      throw new Refusal(
        `${path} has ${free} MB free, but an upgrade requires ${leastMegabytes} MB.`,
        'Free some space, or lower FLEET_GATEWAY_RELEASE_MIN_FREE_MB in /etc/fleet/gateway.env.',
      )
  }
}
