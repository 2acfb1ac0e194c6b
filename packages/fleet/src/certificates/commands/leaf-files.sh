# print_leaves FILE…: owner and mode of each file that exists, and certificate and keys in it, without the keys.
print_leaves() {
  count=$#
  while [ "$count" -gt 0 ]; do
    file=$1
    shift
    count=$((count - 1))
    if [ -f "$file" ] && [ ! -L "$file" ] && [ ! -L "${file%/*}" ] && [ ! -e "$file.pending" ]; then set -- "$@" "$file"; fi
  done
  if [ "$#" -eq 0 ]; then field owners ''; field leaves ''; return; fi
  field owners "$(stat -c '%a %U %n' -- "$@")"
  # shellcheck disable=SC2016
  field leaves "$(awk 'FNR == 1 { print "= " FILENAME } /BEGIN .*PRIVATE KEY/ { print "key" }
    /BEGIN CERTIFICATE/ { on = 1 } on { print } /END CERTIFICATE/ { on = 0 }' "$@")"
}
