# shellcheck shell=sh
# $1: the marker and paths, separated by spaces. Nothing may be at these paths but files with this marker.
set -f
# shellcheck disable=SC2086
set -- $1
mark=$1
shift
for path; do
  path=$root$path
  if [ ! -e "$path" ] && [ ! -L "$path" ]; then continue; fi
  is_ours "$mark" "$path" || exit 1
done
