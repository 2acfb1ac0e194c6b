import { type Command, script } from '@fleet/shell'

/** What the Node says about an apps path. */
export const appsRootAnswers = [
  'accepted',
  'created',
  'missing',
  'symbolic_link',
  'not_a_directory',
  'foreign_owner',
  'writable_by_others',
  'create_failed',
] as const
export type AppsRootAnswer = (typeof appsRootAnswers)[number]

/**
 * Checks the path as the managed user and, when allowed, makes what is missing with mode 0755; one round trip.
 * Prints one word of `appsRootAnswers` and ends with 0. What is there keeps owner and mode; a failed making leaves nothing (NODE-109, NODE-110).
 */
export const appsRoot = (path: string, mayCreate: boolean): Command =>
  script(SOURCE, path, mayCreate ? 'create' : 'keep')

/** Undefined when the script did not run to its end. */
export function readAppsRootAnswer(stdout: Buffer): AppsRootAnswer | undefined {
  const word = stdout.toString('utf8').trim()
  return appsRootAnswers.find((answer) => answer === word)
}

// Every parent is compared with its physical path: a link anywhere in it would move the checkouts elsewhere.
const SOURCE = `# check the apps root
set -u
umask 022
path=$1
say() { printf '%s\\n' "$1"; exit 0; }
real() { [ "$(CDPATH= cd -P -- "$1" 2>/dev/null && pwd -P)" = "$1" ]; }
exists() { [ -e "$1" ] || [ -L "$1" ]; }

if exists "$path"; then
  [ ! -L "$path" ] || say symbolic_link
  [ -d "$path" ] || say not_a_directory
  [ -n "$(find "$path" -prune -user "$(id -u)" 2>/dev/null)" ] || say foreign_owner
  [ -z "$(find "$path" -prune \\( -perm -020 -o -perm -002 \\) 2>/dev/null)" ] || say writable_by_others
  real "$path" || say symbolic_link
  say accepted
fi

[ "$2" = create ] || say missing
parent=$path
while ! exists "$parent"; do parent=\${parent%/*}; parent=\${parent:-/}; done
[ -d "$parent" ] || say not_a_directory
real "$parent" || say symbolic_link

# One level at a time, so that a failure knows what it made and takes it away again.
made=$parent
rest=\${path#"\${parent%/}"/}
while [ -n "$rest" ]; do
  name=\${rest%%/*}
  case $rest in */*) rest=\${rest#*/} ;; *) rest= ;; esac
  if ! mkdir -m 0755 -- "\${made%/}/$name" 2>/dev/null; then
    while [ "$made" != "$parent" ]; do rmdir -- "$made" 2>/dev/null; made=\${made%/*}; done
    say create_failed
  fi
  made=\${made%/}/$name
done
say created
`
