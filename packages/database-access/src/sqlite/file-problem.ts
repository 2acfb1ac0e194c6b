/** Why a database was not copied, or not carried to another machine. */
export type FileProblem =
  | 'missing'
  | 'outside'
  | 'damaged'
  | 'denied'
  | 'busy'
  | 'full'
  | 'read_only'
  | 'occupied'
  | 'torn'
  | 'failed'

export class FileRefused extends Error {
  override readonly name = 'FileRefused'
  readonly problem: FileProblem
  constructor(problem: FileProblem) {
    super(problem)
    this.problem = problem
  }
}

/** Primary result codes of SQLite. */
const SQLITE: ReadonlyMap<unknown, FileProblem> = new Map([
  [3, 'denied'],
  [5, 'busy'],
  [6, 'busy'],
  [8, 'read_only'],
  [11, 'damaged'],
  [13, 'full'],
  [14, 'denied'],
  [26, 'damaged'],
])

const SYSTEM: ReadonlyMap<unknown, FileProblem> = new Map([
  ['ENOENT', 'missing'],
  ['EACCES', 'denied'],
  ['EPERM', 'denied'],
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EROFS', 'read_only'],
  ['EEXIST', 'occupied'],
])

const PRIMARY = 0xff

/** What an error of the file system or of SQLite means. */
export function problemOf(error: unknown): FileProblem {
  if (error instanceof FileRefused) return error.problem
  if (!(error instanceof Error)) return 'failed'
  if ('errcode' in error) return SQLITE.get(Number(error.errcode) & PRIMARY) ?? 'failed'
  return ('code' in error && SYSTEM.get(error.code)) || 'failed'
}
