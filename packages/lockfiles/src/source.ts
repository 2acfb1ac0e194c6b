import { bytesOf } from './fields.ts'
import { Failure, type FailureCode, type Origin, refuse } from './failure.ts'
import { LIMITS } from './limits.ts'
import { SOURCE_FILES } from './source-files.ts'

/** File name → content, for each of `SOURCE_FILES` that the project directory has. */
export type SourceFiles = Readonly<Record<string, string | Uint8Array>>

/** The files of one project, read within their bounds. */
export interface Source {
  has(name: string): boolean
  /** The text of a file, which must exist. */
  text(name: string, invalid: FailureCode): string
}

export function makeSource(files: SourceFiles): Source {
  const known = new Map(Object.entries(files))
  return {
    has: (name) => known.has(name),
    text(name, invalid) {
      const origin: Origin = { file: name, invalid }
      const content = known.get(name) ?? refuse(origin, 'missing', 'dependencies.incomplete_source')
      const limit = LIMIT_OF.get(name) ?? 0
      if (content.length * 3 > limit && sizeOf(content) > limit) refuse(origin, 'too_large')
      const text = typeof content === 'string' ? content : decode(content, origin)
      return text.startsWith('\uFEFF') ? text.slice(1) : text
    },
  }
}

/** All files of a project together have a bound of their own; no file is to blame, so the detail names the first. */
export function checkTotal(files: SourceFiles): void {
  const contents = Object.values(files)
  // No text has more than three bytes for each of its units, so most are never encoded.
  const most = contents.reduce((sum, content) => sum + content.length * 3, 0)
  if (most <= LIMITS.filesMaxBytes) return
  const total = contents.reduce((sum, content) => sum + sizeOf(content), 0)
  if (total > LIMITS.filesMaxBytes) throw new Failure('dependencies.source_unavailable', 'All files', 'files')
}

const LIMIT_OF: ReadonlyMap<string, number> = new Map(
  SOURCE_FILES.map(({ name, maxBytes }) => [name, maxBytes]),
)

const sizeOf = (content: string | Uint8Array): number =>
  typeof content === 'string' ? bytesOf(content) : content.length

function decode(content: Uint8Array, origin: Origin): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    refuse(origin, 'not_utf8')
  }
}
