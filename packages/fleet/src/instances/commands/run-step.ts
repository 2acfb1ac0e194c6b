import { Secret } from '@fleet/kernel'
import { type Command, withStdin } from '@fleet/shell'
import { type CheckoutPlace, checkoutScript } from './checkout-script.ts'

export const stepAnswers = [
  'ended',
  'bash-missing',
  'root-missing',
  'folder-missing',
  'unsafe',
  'foreign',
  'busy',
] as const

/**
 * Runs one setup or teardown step: `bash -eu` at the repository root, no input, output thrown away, its process group
 * killed when it ends or its time is over (PRJ-065). Answers `ended` and `exit STATUS` or `timeout`.
 * The command text travels on standard input, so no process list shows it.
 */
export const runStep = (place: CheckoutPlace, command: string, limitSeconds: number): Command =>
  withStdin(checkoutScript('run lifecycle step', RUN, place, limitSeconds), new Secret(command))

// Job control gives the step a process group of its own, which dash refuses without a terminal and bash does not.
const SUPERVISE = String.raw`
set -m
limit=$1
text=$(cat)
bash -eu /dev/fd/3 3<<<"exec 3<&-
$text" </dev/null >/dev/null &
step=$!
trap "kill -KILL -- -$step" HUP INT TERM
sleep "$limit" </dev/null >/dev/null && kill -KILL -- -$step &
watch=$!
wait "$step"
status=$?
kill -KILL -- -$watch -$step
printf "ended\n"
if [ "$status" = 137 ] && [ "$SECONDS" -ge "$limit" ]; then echo timeout; else echo "exit $status"; fi
`

const RUN = String.raw`
limit=$1
command -v bash >/dev/null || say bash-missing
enter
proven "./$name" || say foreign
claim "./$name"
cd "./$name" || say foreign
# The scripts read answers of programs in one language; a step works in the language of its user.
if [ -n "$session_locale" ]; then LC_ALL=$session_locale; else unset LC_ALL; fi
unset OLDPWD
exec bash -c '${SUPERVISE}' bash "$limit"
`
