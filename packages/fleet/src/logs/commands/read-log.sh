# read the framework log
# Arguments: the folder of the checkout, the folder of the log from there, the name without its end, how many lines, the
# most bytes. Answers the lines.
root=$1 directory=$2 name=$3 lines=$4 most=$5
is_log() { [ -f "./$1" ] && [ ! -L "./$1" ]; }
newest() {
  # The shell sorts names, and these end with their date.
  set -- "./$name"-[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].log
  while [ $# -gt 1 ]; do shift; done
  printf '%s' "$(basename -- "$1")"
}
answer() { field lines "$1"; exit 0; }
cd -P -- "$root" || answer ''
top=$(pwd -P)
cd -P -- "./$directory" || answer ''
# The physical path differs as soon as one component is a link, which could lead to another Instance and its secrets.
[ "$(pwd -P)" = "${top%/}/$directory" ] || answer ''
file=$name.log
is_log "$file" || file=$(newest)
is_log "$file" || answer ''
size=$(($(wc -c <"./$file"))) || exit 1
text=$(
  # Its end begins in the middle of a line, which is then left out.
  if [ "$size" -gt "$most" ]; then tail -c "$most" "./$file" | sed 1d; else cat "./$file"; fi | tail -n "$lines"
  # No shell keeps the newlines at the end of what it reads.
  echo end
)
answer "${text%end}"
