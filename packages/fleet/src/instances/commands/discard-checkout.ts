import type { Command } from '@fleet/shell'
import { type CheckoutPlace, checkoutScript } from './checkout-script.ts'
import { environmentFile, SOURCE_STATE } from './source-state.ts'

/**
 * - `attempt` what an unfinished creation made, its half-built directory included
 * - `normal` a source that must still be as source_preparation recorded it
 * - `force` a source whose work was given up; only its linked worktrees must be the recorded ones
 */
export type DiscardMode = 'attempt' | 'normal' | 'force'

export const discardAnswers = [
  'gone',
  'erase-failed',
  'changed',
  'worktrees-changed',
  'unrecorded',
  'root-missing',
  'folder-missing',
  'unsafe',
  'foreign',
  'busy',
] as const

/**
 * Renames a proven checkout into quarantine beside it and deletes it there, the receipt last, so that a run cut off
 * anywhere is finished by the next one (INS-053, INS-115). What the receipt does not prove stays as it is. The `.env` file in
 * the application directory never counts as work.
 */
export const discardCheckout = (
  place: CheckoutPlace,
  quarantineId: string,
  mode: DiscardMode,
  applicationDirectory = '',
): Command =>
  checkoutScript(
    'discard checkout',
    DISCARD,
    place,
    quarantineId,
    mode,
    environmentFile(applicationDirectory),
  )

const DISCARD = String.raw`
${SOURCE_STATE}
removal=$1 mode=$2 own=$3
quarantine=./.fleet-removal-$removal work=./.fleet-preparation-$preparation

as_recorded() {
  read -r recorded heads_then worktrees_then <"./$receipts/removal" && [ "$recorded" = "$removal" ] || say unrecorded
  tame
  [ "$(worktrees | digest)" = "$worktrees_then" ] || say worktrees-changed
  [ "$mode" = force ] && return
  [ "$(heads)" = "$heads_then" ] && [ "$(cleanliness "$own")" = clean ] || say changed
}

enter
if stands "$quarantine"; then erase "$quarantine" || say erase-failed; fi
if [ "$mode" = attempt ] && stands "$work"; then erase "$work" || say erase-failed; fi
if stands "./$name"; then
  proven "./$name" || say foreign
  claim "./$name"
  # Its output is the script's own answer when the source is not as recorded.
  if [ "$mode" != attempt ]; then answer=$(cd "./$name" && as_recorded) && [ -z "$answer" ] || say "$answer"; fi
  settle "./$name" "$quarantine" || say erase-failed
  erase "$quarantine" || say erase-failed
fi
cd -P -- "$root" && rmdir -- "./$folder"
flush_storage .
say gone
`
