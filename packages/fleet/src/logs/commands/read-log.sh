# read the framework log
# Arguments: the folder, the name without its end, how many lines, the most bytes. Prints the lines.
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
