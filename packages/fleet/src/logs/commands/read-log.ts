import { LOG_READ_MAX_BYTES } from '@fleet/contract'
import { type Command, script } from '@fleet/shell'

/**
 * Prints the last lines of a framework's log: of the file, or where that is absent of the newest dated one beside it
 * (INS-124). Nothing when there is none. A link is no log: it could lead to what its reader may not see.
 */
export const readLog = (directory: string, name: string, lines: number): Command =>
  script(SOURCE, directory, name, lines, LOG_READ_MAX_BYTES)

const SOURCE = String.raw`# read the framework log
set -u
LC_ALL=C
export LC_ALL
unset CDPATH
directory=$1 name=$2 lines=$3 most=$4
is_log() { [ -f "./$1" ] && [ ! -L "./$1" ]; }
newest() {
  # The shell sorts names, and these end with their date.
  set -- "./$name"-[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].log
  while [ $# -gt 1 ]; do shift; done
  printf '%s' "$(basename -- "$1")"
}
cd -P -- "$directory" 2>/dev/null || exit 0
file=$name.log
is_log "$file" || file=$(newest)
is_log "$file" || exit 0
size=$(($(wc -c <"./$file"))) || exit 1
# Its end begins in the middle of a line, which is then left out.
if [ "$size" -gt "$most" ]; then tail -c "$most" "./$file" | sed 1d; else cat "./$file"; fi | tail -n "$lines"
`
