import { statfs } from 'node:fs/promises'

/** Bytes that a file can still get on the file system of this path. */
export async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}
