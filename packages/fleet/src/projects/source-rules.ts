import { type ProjectType, projectTypeRules, type SourceAccess } from '@fleet/contract'

/** Why a web root cannot be used, or undefined. `.` is the repository root, which only some types allow (PRJ-015 to PRJ-017). */
export function rootProblem(root: string, type: ProjectType): string | undefined {
  if (root === '.') {
    return projectTypeRules[type].allowsRepositoryRoot
      ? undefined
      : `must not be the repository root for ${type}`
  }
  const parts = root.split('/')
  const isNormal = parts.every((part) => part !== '' && part !== '.' && part !== '..')
  // A control character or backslash reads differently in a shell, a web server and a person's eye.
  if (!isNormal || /[\p{Cc}\\]/u.test(root)) return 'must be a normalized path relative to the repository'
  return parts[0]?.toLowerCase() === '.git' ? 'must not be inside the Git directory' : undefined
}

/** Whether Git takes it as the name of a branch (git-check-ref-format). */
export function isBranchName(name: string): boolean {
  if (name === '' || name === 'HEAD' || name === '@' || name.startsWith('-')) return false
  if (/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$/u.test(name)) return false
  return name
    .split('/')
    .every(
      (part) => !part.startsWith('.') && !part.endsWith('.lock') && Buffer.byteLength(part) <= PART_MAX_BYTES,
    )
}

/** Git keeps each part as the name of a file, and writes `<part>.lock` beside it. */
const PART_MAX_BYTES = 250

/** What the gateway knows of a Project's source before it asks the remote. */
export interface SourceValues {
  readonly type: ProjectType
  readonly repositoryUrl: string
  readonly sourceAccess: SourceAccess
  readonly root: string | null
  readonly defaultBranch: string | null
}

/** Broken rules by member; empty when all hold. */
export function sourceProblems(values: SourceValues): Record<string, readonly string[]> {
  const identity = repositoryIdentity(values.repositoryUrl)
  const problems: Record<string, string | undefined> = {
    repository_url:
      identity === undefined ? 'must be an HTTPS or SSH Git URL without credentials' : undefined,
    root: values.root === null ? undefined : rootProblem(values.root, values.type),
    default_branch:
      values.defaultBranch === null || isBranchName(values.defaultBranch)
        ? undefined
        : 'must be a valid Git branch name',
    source_access:
      values.sourceAccess === 'gh_cli' && identity !== undefined && !identity.startsWith('github.com/')
        ? 'gh_cli reads repositories on github.com only'
        : undefined,
  }
  return Object.fromEntries(
    Object.entries(problems).flatMap(([member, problem]) =>
      problem === undefined ? [] : [[member, [problem]]],
    ),
  )
}

const HOST = String.raw`(?<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])`
const PORT = String.raw`(?::\d{1,5})?`
const PATH = String.raw`(?<path>[^\s?#\\]+)`
const USER = String.raw`(?:[A-Za-z0-9_][A-Za-z0-9_.-]*@)?`
const FORMS = [
  // No user: a token is as often sent as the name as it is as the password.
  new RegExp(`^https://${HOST}${PORT}/${PATH}$`, 'i'),
  new RegExp(`^ssh://${USER}${HOST}${PORT}/${PATH}$`, 'i'),
  // `ext::…` would name a transport helper and `file://…` a scheme, not a host; `user:password@…` is no path.
  new RegExp(`^(?![a-z][a-z0-9+.-]*:(?::|//))${USER}${HOST}:(?![^/]*@)${PATH}$`, 'i'),
]

/**
 * `host/path` that is the same for every form of one repository's URL: host in lower case, without scheme, user, port,
 * outer slashes or `.git` (PRJ-035). Undefined for a URL that a Project may not have (PRJ-005).
 */
export function repositoryIdentity(url: string): string | undefined {
  // Git, the shell and a person must read the same text.
  if (!/^[\x21-\x7e]{1,2048}$/.test(url)) return undefined
  const groups = FORMS.map((form) => form.exec(url)?.groups).find((found) => found !== undefined)
  const parts = groups?.['path']?.split('/').filter((part) => part !== '') ?? []
  if (!groups?.['host'] || parts.some((part) => part === '.' || part === '..')) return undefined
  const path = parts.join('/').replace(/\.git$/, '')
  return path === '' || path.endsWith('/') ? undefined : `${groups['host'].toLowerCase()}/${path}`
}
