import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { readDiff } from './diff.ts'
import { git, gitLine, withoutFilters } from './git.ts'
import type { WantedWorkspace, WorkspaceState } from './workspace.ts'

const BRANCH_MAX_CHARACTERS = 255
const COMMITS_MAX = 1000
/** The head of a status and its first entry: more is not looked at. */
const STATUS_MAX_BYTES = 16 * 1024
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** Reads a checkout again and again; what depends on commits alone is read anew only when they changed. */
export type WorkspaceReader = (
  wanted: WantedWorkspace,
  signal: AbortSignal,
) => Promise<WorkspaceState | undefined>

type Counts = Pick<WorkspaceState, 'commits' | 'diff'>

/** The reader answers undefined for what cannot be opened, or whose branch has too long a name (AGT-024). */
export function makeWorkspaceReader(): WorkspaceReader {
  const known = new Map<string, { readonly commits: string; readonly counts: Counts }>()
  return async (wanted, signal) => {
    const { path, base, start, instance_id } = wanted
    const now =
      (await isOwnCheckout(path)) && ((await readStatus(path, signal)) ?? (await readHead(path, signal)))
    if (!now || (now.branch !== null && Array.from(now.branch).length > BRANCH_MAX_CHARACTERS)) {
      known.delete(path)
      return undefined
    }
    const baseCommit = await readBase(path, base, signal)
    const commits = [now.head, baseCommit, start].join(' ')
    const before = known.get(path)
    const counts =
      before?.commits === commits ? before.counts : await readCounts(wanted, now.head, baseCommit, signal)
    known.set(path, { commits, counts })
    return { instance_id, base, start, ...now, ...counts }
  }
}

/** A linked checkout, or one whose records lie elsewhere, could show the work of another Instance. */
const isOwnCheckout = async (path: string): Promise<boolean> => {
  const found = await Promise.all([path, join(path, '.git')].map((one) => lstat(one).catch(() => undefined)))
  return found.every((one) => one?.isDirectory() === true)
}

type Head = Pick<WorkspaceState, 'branch' | 'head' | 'dirty'>

/** Branch, head and whether anything differs, in one look (AGT-024, AGT-025, AGT-026). */
async function readStatus(path: string, signal: AbortSignal): Promise<Head | undefined> {
  const settings = await withoutFilters(path, signal)
  const words = [
    'status',
    '--porcelain=v2',
    '--branch',
    '-z',
    '--untracked-files=normal',
    '--ignore-submodules=all',
  ]
  const options = { signal, settings, maxBytes: STATUS_MAX_BYTES }
  const { status, output, cut } = await git(path, [...words, '--no-renames', '--no-ahead-behind'], options)
  if (status !== 0 && !cut) return undefined
  const rows = output.toString('utf8').split('\0')
  const reported = (name: string): string =>
    rows.find((row) => row.startsWith(name))?.slice(name.length) ?? ''
  const branch = reported('# branch.head ')
  return {
    branch: branch === '(detached)' || branch === '' ? null : branch,
    head: commitOf(reported('# branch.oid ')),
    dirty: rows.some((row) => row !== '' && !row.startsWith('# ')),
  }
}

/** The same for a checkout whose index cannot be read. */
async function readHead(path: string, signal: AbortSignal): Promise<Head | undefined> {
  if ((await gitLine(path, ['rev-parse', '--is-inside-work-tree'], { signal })) !== 'true') return undefined
  const ref = await gitLine(path, ['symbolic-ref', '--quiet', 'HEAD'], { signal })
  const head = await gitLine(path, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], { signal })
  return {
    branch: ref?.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null,
    head: commitOf(head),
    dirty: null,
  }
}

const commitOf = (line: string | undefined): string | null =>
  line !== undefined && COMMIT.test(line) ? line : null

/** The default branch as it was last fetched; where there is none, the local one. */
async function readBase(path: string, base: string, signal: AbortSignal): Promise<string | null> {
  const refs = [`refs/remotes/origin/${base}`, `refs/heads/${base}`]
  for (const ref of refs) {
    const found = await gitLine(path, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], { signal })
    if (found !== undefined) return commitOf(found)
  }
  return null
}

async function readCounts(
  { path, start }: WantedWorkspace,
  head: string | null,
  base: string | null,
  signal: AbortSignal,
): Promise<Counts> {
  return {
    commits: head === null || start === null ? null : await readCommits(path, { start, head }, signal),
    diff: head === null || base === null ? null : await readDiff(path, { base, head }, signal),
  }
}

/** AGT-027 */
async function readCommits(
  path: string,
  { start, head }: { readonly start: string; readonly head: string },
  signal: AbortSignal,
): Promise<number | null> {
  if (!COMMIT.test(start)) return null
  const words = ['rev-list', '--count', `--max-count=${COMMITS_MAX}`, head, `^${start}`, '--']
  const count = await gitLine(path, words, { signal })
  return count !== undefined && /^\d+$/.test(count) ? Number(count) : null
}
