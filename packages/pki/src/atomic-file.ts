import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** Puts a file in place whole, also across a power cut, and replaces what was there. */
export function replaceFile(path: string, content: string, mode: number): void {
  withTemporary(path, content, mode, (temporary) => renameSync(temporary, path))
}

/** The same, but an existing file stays as it is. Of two processes one wins, and both continue with its file. */
export function makeFile(path: string, content: string, mode: number): void {
  withTemporary(path, content, mode, (temporary) => {
    try {
      linkSync(temporary, path)
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
  })
}

/**
 * Gives a complete file or folder its name, also across a power cut, and replaces a file that was there. What lies in a folder
 * must be on the disk already.
 */
export function placeFile(made: string, path: string): void {
  synced(openSync(made, 'r'), () => undefined)
  renameSync(made, path)
  flushFolder(dirname(path))
}

/** Puts a symbolic link in place at once, also across a power cut; one that is there is replaced. */
export function placeLink(path: string, target: string): void {
  const beside = `${path}.new`
  rmSync(beside, { force: true })
  symlinkSync(target, beside)
  renameSync(beside, path)
  flushFolder(dirname(path))
}

/** Names that were made, changed or removed in the folder are so after a power cut as well. */
export function flushFolder(folder: string): void {
  try {
    synced(openSync(folder, 'r'), () => undefined)
  } catch (error) {
    // A file system that cannot flush a folder, such as an older CIFS, has no better way either.
    if (!hasCode(error, 'EINVAL')) throw error
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

const withTemporary = (
  path: string,
  content: string,
  mode: number,
  place: (temporary: string) => void,
): void => {
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    synced(openSync(temporary, 'wx', mode), (descriptor) => writeFileSync(descriptor, content))
    place(temporary)
    flushFolder(folder)
  } finally {
    rmSync(temporary, { force: true })
  }
}

const synced = (descriptor: number, work: (descriptor: number) => void): void => {
  try {
    work(descriptor)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
