import { constants } from 'node:fs'
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_DIRECTORY } = constants
// Without waiting for a writer, should it be a pipe.
const FILE = O_RDONLY | O_NONBLOCK | O_NOFOLLOW
// Passing through a folder does not need the right to list it: root without capabilities has only that one in a home. Node
// does not name this flag of Linux.
const O_PATH = process.platform === 'linux' ? 0o10000000 : O_RDONLY
const FOLDER = O_PATH | O_DIRECTORY | O_NOFOLLOW

/**
 * Opens a file for reading without following a link in the last component of the root or below it. Each folder is opened
 * from the one above, so that exchanging one meanwhile leads nowhere else (Linux: `/proc/self/fd`).
 * Undefined where only the file itself is missing. Throws what opening throws: ELOOP or ENOTDIR for a link.
 * `instead` chooses another one of its folder where it is missing; of one that may not be listed there is none.
 */
export async function openBelow(
  root: string,
  path: string,
  instead: (names: readonly string[]) => string | undefined = () => undefined,
): Promise<FileHandle | undefined> {
  const segments = [basename(root), ...relative(root, dirname(path)).split('/')].filter((name) => name !== '')
  await using stack = new AsyncDisposableStack()
  let above = dirname(root)
  for (const segment of segments) above = within(stack.use(await open(join(above, segment), FOLDER)))
  const found = await openIn(above, basename(path))
  if (found) return found
  const name = instead(await readdir(above).catch(() => []))
  return name === undefined ? undefined : await openIn(above, name)
}

async function openIn(folder: string, name: string): Promise<FileHandle | undefined> {
  try {
    return await open(join(folder, name), FILE)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

const within = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`
