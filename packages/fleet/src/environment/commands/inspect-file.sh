# check the environment file
# Arguments: after those of env-file.sh, the most bytes of a file, `read` or `replace`, the blocks of 1 KiB that must be free to
# replace it, and the directory of the checkout below the folder, if its Git is asked for the file. Prints the file, unless Git
# has it, or cannot say so.
limit=$1 purpose=$2 blocks=$3 checkout=$4
# The number before the percentage; names of file systems and mount points may hold blanks.
free_blocks() {
  read -r _heading
  read -r line
  set -f
  # shellcheck disable=SC2086 # Several words.
  set -- ${line%%%*}
  while [ $# -gt 2 ]; do shift; done
  case ${1:-x} in *[!0-9]*) ;; *) echo "$1" ;; esac
}
enter
if [ -n "$checkout" ]; then
  tracked=$(tracking "$checkout")
  field tracking "$tracked"
  [ "$tracked" = untracked ] || exit 0
fi
storage=writable
if [ "$purpose" = replace ]; then
  sweep
  if [ ! -w . ] || [ ! -x . ]; then
    # No file: making one would follow a link that was planted under its name.
    storage=$(why "$(mkdir ./.env.fleet-sync-probe 2>&1)" directory_not_writable)
    # Unflushed ./.env.fleet-sync-probe: an empty folder is nothing to Git, and the next probe removes it.
    rmdir ./.env.fleet-sync-probe
  fi
  [ "$storage" != directory_not_writable ] || refuse directory_not_writable
fi
mode=missing
if [ -L "$file" ]; then refuse link
elif [ -d "$file" ]; then refuse directory
elif [ -e "$file" ]; then
  [ -f "$file" ] || refuse not_regular
  [ -O "$file" ] || refuse foreign_owner
  [ -r "$file" ] || refuse unreadable
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
printf 'content %d\n' "$size"
cat "$file"
printf '\n'
