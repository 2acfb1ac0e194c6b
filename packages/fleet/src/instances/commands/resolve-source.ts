import type { Command } from '@fleet/shell'
import { type CheckoutPlace, checkoutScript } from './checkout-script.ts'
import { environmentFile } from './source-state.ts'

export interface SourceRequest extends CheckoutPlace {
  readonly repositoryUrl: string
  readonly branch: string
  /** Its commit starts a branch that exists nowhere yet. */
  readonly defaultBranch: string
  /** Repository-relative; the `.env` file in it is the fleet's own and never counts as work. Empty for the root. */
  readonly applicationDirectory: string
}

export const sourceAnswers = [
  'resolved',
  'branch-invalid',
  'branch-missing',
  'fetch-failed',
  'checkout-failed',
  'storage-full',
  'storage-read-only',
  'git-missing',
  'root-missing',
  'folder-missing',
  'unsafe',
  'foreign',
  'busy',
] as const

/**
 * Fetches the origin and checks the branch out: the origin's, else the local one, else a new one from the default branch
 * (INS-046 to INS-048). Answers `resolved` and the commit. Whatever an interrupted run left is overwritten: before
 * `source_resolved` the directory holds nobody's work.
 */
export const resolveSource = (request: SourceRequest): Command =>
  checkoutScript(
    'resolve source',
    RESOLVE,
    request,
    request.repositoryUrl,
    request.branch,
    request.defaultBranch,
    excludePattern(request.applicationDirectory),
  )

/** One line of a Git exclude file that matches the `.env` of this directory alone. */
export const excludePattern = (applicationDirectory: string): string =>
  `/${environmentFile(applicationDirectory).replaceAll(/[\\*?[]/g, '\\$&')}`

const RESOLVE = String.raw`
url=$1 branch=$2 default=$3 exclude=$4
command -v git >/dev/null || say git-missing
enter
proven "./$name" || say foreign
claim "./$name"
cd "./$name" || say foreign
tame
find .git -type f -name '*.lock' -exec rm -f -- {} +

case $branch in -* | HEAD) say branch-invalid ;; esac
git check-ref-format "refs/heads/$branch" || say branch-invalid
case $url in -*) say fetch-failed ;; esac
g config --replace-all remote.origin.url "$url" &&
  g config --replace-all remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*' || blame checkout-failed '' "$receipts"
mkdir -p .git/info && printf '%s\n' "$exclude" >.git/info/exclude || blame checkout-failed '' "$receipts"
problem=$(g fetch -q --force --prune --tags --no-recurse-submodules origin 2>&1) ||
  blame fetch-failed "$problem" "$receipts"

has() { g rev-parse -q --verify "$1^{commit}" >/dev/null; }
if has "refs/remotes/origin/$branch"; then from=refs/remotes/origin/$branch
elif has "refs/heads/$branch"; then from=refs/heads/$branch
elif has "refs/remotes/origin/$default"; then from=refs/remotes/origin/$default
else say branch-missing; fi

if [ "$from" = "refs/remotes/origin/$branch" ]; then follow=--track; else follow=--no-track; fi
problem=$(g checkout -q -f "$follow" -B "$branch" "$from" -- 2>&1 && g clean -q -ffdx 2>&1) ||
  blame checkout-failed "$problem" "$receipts"
commit=$(g rev-parse --verify HEAD) || say checkout-failed
flush_storage . || say checkout-failed
printf 'resolved\n%s\n' "$commit"
`
