import type { Command } from '@fleet/shell'
import { type CheckoutPlace, checkoutScript } from './checkout-script.ts'

/** A `composer.json` beyond this is not read. */
export const MANIFEST_MAX_BYTES = 1024 * 1024

export const examineAnswers = [
  'examined',
  'unsafe-directory',
  'root-missing',
  'folder-missing',
  'unsafe',
  'foreign',
  'busy',
] as const

/**
 * Tells what kind of entry each framework marker is and prints `composer.json`, all below the application directory
 * (PRJ-020). Answers `examined`, one line `artisan console composer` of entry kinds, then the manifest's bytes.
 */
export const examineSource = (place: CheckoutPlace, applicationDirectory: string): Command =>
  checkoutScript('examine source', EXAMINE, place, applicationDirectory, MANIFEST_MAX_BYTES)

/** Walks into a repository-relative directory without following links; `absent` and `unsafe` say why it stopped. */
export const DESCEND = String.raw`
descend() {
  rest=$1
  while [ -n "$rest" ]; do
    segment=$(printf '%s' "$rest" | cut -d / -f 1)
    rest=$(printf '%s' "$rest" | cut -s -d / -f 2-)
    if ! stands "./$segment"; then reached=absent; return; fi
    if [ -L "./$segment" ] || [ ! -d "./$segment" ] || ! cd -P -- "./$segment"; then reached=unsafe; return; fi
  done
  reached=directory
}
`

const EXAMINE = String.raw`
${DESCEND}
directory=$1 limit=$2
kind() {
  if [ -L "$1" ]; then echo other
  elif [ -f "$1" ]; then if [ "$(($(wc -c <"$1")))" -le "$limit" ]; then echo file; else echo large; fi
  elif [ -e "$1" ]; then echo other
  else echo absent; fi
}
enter
proven "./$name" || say foreign
claim "./$name"
cd "./$name" || say foreign
descend "$directory"
case $reached in
  unsafe) say unsafe-directory ;;
  absent) printf 'examined\nabsent absent absent\n'; exit 0 ;;
esac
composer=$(kind ./composer.json)
if [ -L ./bin ]; then console=other; else console=$(kind ./bin/console); fi
printf 'examined\n%s %s %s\n' "$(kind ./artisan)" "$console" "$composer"
if [ "$composer" = file ]; then cat ./composer.json; fi
`
