import type { Command } from '@fleet/shell'
import { type CheckoutPlace, checkoutScript } from './checkout-script.ts'
import { DESCEND, MANIFEST_MAX_BYTES } from './examine-source.ts'

export const provisionAnswers = [
  'kept',
  'made',
  'unsafe-directory',
  'unsafe-example',
  'failed',
  'root-missing',
  'folder-missing',
  'unsafe',
  'foreign',
  'busy',
] as const

/**
 * Makes the first `.env` of a source that has none: a copy of `.env.example`, or an empty file where `emptyWithout` asks
 * for one (INS-056). Mode 0600; linked into place complete, so a file that appears meanwhile stays.
 */
export const provisionEnvironment = (
  place: CheckoutPlace,
  applicationDirectory: string,
  emptyWithout: boolean,
): Command =>
  checkoutScript(
    'provision environment',
    PROVISION,
    place,
    applicationDirectory,
    emptyWithout ? 'empty' : 'none',
    MANIFEST_MAX_BYTES,
  )

const PROVISION = String.raw`
${DESCEND}
directory=$1 otherwise=$2 limit=$3
enter
proven "./$name" || say foreign
claim "./$name"
cd "./$name" || say foreign
descend "$directory"
case $reached in unsafe) say unsafe-directory ;; absent) say kept ;; esac
fresh=./.env.fleet-$preparation
rm -f -- "$fresh"
stands ./.env && say kept
umask 077
if stands ./.env.example; then
  [ -f ./.env.example ] && [ ! -L ./.env.example ] || say unsafe-example
  [ "$(($(wc -c <./.env.example)))" -le "$limit" ] || say unsafe-example
  cat ./.env.example >"$fresh" || { rm -f -- "$fresh"; say failed; }
elif [ "$otherwise" = empty ]; then
  : >"$fresh" || say failed
else
  say kept
fi
flush "$fresh"
ln -- "$fresh" ./.env
linked=$?
rm -f -- "$fresh"
stands ./.env || say failed
[ "$linked" = 0 ] && say made
say kept
`
