import { git, gitLine } from './git.ts'
import type { WorkspaceDiff } from './workspace.ts'

/** AGT-029 */
const COUNTED_FILES_MAX = 5000
/** Of the line counts of 5,000 files with long names. */
const COUNTS_MAX_BYTES = 24 * 1024 * 1024
const OPTIONS = ['--no-ext-diff', '--no-textconv', '--no-renames', '--ignore-submodules=none'] as const

/** What differs between the default branch and HEAD; null when they have no common commit (AGT-028, AGT-029). */
export async function readDiff(
  path: string,
  { base, head }: { readonly base: string; readonly head: string },
  signal: AbortSignal,
): Promise<WorkspaceDiff | null> {
  const from = await gitLine(path, ['merge-base', base, head], { signal })
  if (from === undefined) return null
  const files = await countFiles(path, [from, head], signal)
  if (files === undefined) return null
  if (files > COUNTED_FILES_MAX) return { files, added: null, removed: null, truncated: true }
  const words = ['diff', '--numstat', '-z', ...OPTIONS, from, head, '--']
  const { status, output } = await git(path, words, { signal, maxBytes: COUNTS_MAX_BYTES })
  return status === 0 ? { files, ...sum(output.toString('latin1')), truncated: false } : null
}

async function countFiles(
  path: string,
  commits: readonly string[],
  signal: AbortSignal,
): Promise<number | undefined> {
  let files = 0
  const each = (chunk: Buffer): boolean => {
    for (let at = chunk.indexOf(0); at !== -1; at = chunk.indexOf(0, at + 1)) files += 1
    return true
  }
  const words = ['diff', '--name-only', '-z', ...OPTIONS, ...commits, '--']
  const { status } = await git(path, words, { signal, each })
  return status === 0 ? files : undefined
}

/** Rows of added, removed and name; a binary or large file has hyphens for counts. */
function sum(text: string): { readonly added: number; readonly removed: number } {
  let added = 0
  let removed = 0
  for (const row of text.split('\0')) {
    const [plus = '', minus = ''] = row.split('\t', 2)
    added += Number.parseInt(plus, 10) || 0
    removed += Number.parseInt(minus, 10) || 0
  }
  return { added, removed }
}
