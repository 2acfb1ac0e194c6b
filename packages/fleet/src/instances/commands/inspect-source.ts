import type { Command } from '@fleet/shell'
import { type CheckoutPlace, checkoutScript } from './checkout-script.ts'
import { environmentFile, SOURCE_STATE } from './source-state.ts'

export interface InspectRequest extends CheckoutPlace {
  /** Repository-relative; the `.env` file in it never counts as work. Empty for the root. */
  readonly applicationDirectory: string
  /** Asks the origin which commits it holds. Needed unless the removal is forced. */
  readonly askOrigin: boolean
  /** Writes the source's identity beside the receipt under this removal (source_preparation); nothing when absent. */
  readonly recordFor?: string | undefined
}

export const inspectAnswers = [
  'inspected',
  'absent',
  'no-checkout',
  'layout',
  'root-missing',
  'folder-missing',
  'unsafe',
  'foreign',
  'busy',
  'record-failed',
] as const

/**
 * Looks at a source before its removal. Answers `inspected` and seven lines: origin URL, HEAD's reference, cleanliness
 * (`clean`, `dirty`, `stashed`, `unreadable`), origin (`asked`, `silent`, `skipped`), whether a local commit is on no
 * branch or tag of the origin (`yes`, `no`), the number of linked worktrees, and a digest of all local heads.
 */
export const inspectSource = (request: InspectRequest): Command =>
  checkoutScript(
    'inspect source',
    INSPECT,
    request,
    request.askOrigin ? 'ask' : 'skip',
    request.recordFor ?? '',
    environmentFile(request.applicationDirectory),
  )

// The origin's branches and tags go under references of their own: tracking references and local tags prove nothing.
const INSPECT = String.raw`
${SOURCE_STATE}
ask=$1 removal=$2 own=$3
enter
stands "./$name" || say absent
[ ! -L "./$name" ] || say unsafe
[ -d "./$name" ] && stands "./$name/.git" || say no-checkout
[ -d "./$name/.git" ] && [ ! -L "./$name/.git" ] || say layout
proven "./$name" || say foreign
claim "./$name"
cd "./$name" || say foreign
tame

mine=refs/fleet/origin
origin=skipped lost=no
if [ "$ask" = ask ]; then
  if g fetch -q --force --prune --no-tags --no-recurse-submodules origin \
    "+refs/heads/*:$mine/heads/*" "+refs/tags/*:$mine/tags/*"; then
    origin=asked
    lost=$(g rev-list --max-count=1 HEAD --branches --not --glob="$mine/*") || lost=unknown
    if [ -n "$lost" ]; then lost=yes; else lost=no; fi
  else
    origin=silent
  fi
  g for-each-ref --format='delete %(refname)' "$mine" | git update-ref --stdin
fi
all=$(heads)
if [ -n "$removal" ]; then
  fresh=./$receipts/removal.$removal
  printf '%s %s %s\n' "$removal" "$all" "$(worktrees | digest)" >"$fresh" && flush "$fresh" &&
    mv -f -- "$fresh" "./$receipts/removal" || say record-failed
fi
printf 'inspected\n%s\n%s\n' "$(g config --get remote.origin.url)" "$(g symbolic-ref -q HEAD)"
printf '%s\n%s\n%s\n%s\n%s\n' "$(cleanliness "$own")" "$origin" "$lost" "$(($(worktrees | wc -l)))" "$all"
`
