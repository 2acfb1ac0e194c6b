import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
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
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  })
}

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
    synced(openSync(folder, 'r'), () => undefined)
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
