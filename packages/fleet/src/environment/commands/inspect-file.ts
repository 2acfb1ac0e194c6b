import { type Command, script } from '@fleet/shell'
import { ENVIRONMENT_LIMITS } from '#/environment/format/index.ts'
import { type EnvironmentPlace, placeWords, PREAMBLE } from '#/environment/commands/preamble.ts'

const BYTES_PER_BLOCK = 1024

/** Checks user, path, type, owner and size of the `.env` file and prints it (ENV-027). Answers as Inspection says. */
export const readFile = (place: EnvironmentPlace): Command =>
  script(READ + PREAMBLE + INSPECT, ...placeWords(place), ENVIRONMENT_LIMITS.fileBytes, 'read', 0)

/**
 * The same, and before it whether a file of at most `bytes` bytes can be written in its place: directory permission,
 * read-only storage, free space (ENV-043). One round trip, and all of it before anything is decrypted.
 */
export const inspectFile = (place: EnvironmentPlace, bytes: number): Command =>
  script(
    CHECK + PREAMBLE + INSPECT,
    ...placeWords(place),
    ENVIRONMENT_LIMITS.fileBytes,
    'replace',
    Math.ceil(bytes / BYTES_PER_BLOCK),
  )

const READ = '# read the environment file\n'
const CHECK = '# check the environment file\n'

const INSPECT = `
limit=$1 purpose=$2 blocks=$3
# The number before the percentage; names of file systems and mount points may hold blanks.
free_blocks() {
  read -r heading
  read -r line
  set -f
  set -- \${line%%%*}
  while [ $# -gt 2 ]; do shift; done
  case \${1:-x} in *[!0-9]*) ;; *) echo "$1" ;; esac
}
enter
storage=writable
if [ "$purpose" = replace ]; then
  sweep
  if [ ! -w . ] || [ ! -x . ]; then
    storage=$(why "$(touch ./.env.fleet-sync-probe 2>&1)" directory_not_writable)
    rm -f ./.env.fleet-sync-probe
  fi
  [ "$storage" != directory_not_writable ] || refuse directory_not_writable
fi
mode=missing
if [ -L ./.env ]; then refuse link
elif [ -d ./.env ]; then refuse directory
elif [ -e ./.env ]; then
  [ -f ./.env ] || refuse not_regular
  [ -O ./.env ] || refuse foreign_owner
  [ -r ./.env ] || refuse unreadable
  look
  [ "$size" -le "$limit" ] || refuse too_large
fi
[ "$storage" = writable ] || refuse "$storage"
if [ "$purpose" = replace ]; then
  free=$(df -Pk . | free_blocks)
  [ -z "$free" ] || [ "$free" -ge "$blocks" ] || refuse storage_full
fi
field file "$mode"
[ "$mode" != missing ] || exit 0
printf 'content %d\\n' "$size"
cat ./.env
printf '\\n'
`
