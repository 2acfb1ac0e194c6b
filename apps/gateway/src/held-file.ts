import { DatabaseSync } from 'node:sqlite'

/** A file that nobody refers to is closed, and its lock let go, whenever memory is collected. */
const open = new Set<DatabaseSync>()

/**
 * Holds a file for this process until it is disposed of or the process ends, however that ends, which a file with a pid does not:
 * it is a lock of the kernel's, taken through SQLite. Undefined when another process holds it. Nobody else may open the file.
 */
export function holdFile(path: string): Disposable | undefined {
  const file = new DatabaseSync(path, { timeout: 0 })
  try {
    file.exec('BEGIN EXCLUSIVE')
    open.add(file)
    return {
      [Symbol.dispose]: () => {
        if (open.delete(file)) file.close()
      },
    }
  } catch (error) {
    file.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

const SQLITE_BUSY = 5
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
