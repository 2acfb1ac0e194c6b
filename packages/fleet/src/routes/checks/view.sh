# inspect what is served
# Arguments: the root folder, the number of leaf files and the files, the number of domains and the domains, the number of web
# roots and the web roots; then checkout and application directory of each application.
root=$1 count=$2
shift 2
print_sites "$root"
# first N WORD…: the first N of the words, each in a line; no path of Fleet's own has one.
first() { wanted=$1; shift; for word; do [ "$wanted" -gt 0 ] || break; wanted=$((wanted - 1)); printf '%s\n' "$word"; done; }
files=$(first "$count" "$@")
shift "$count"
(
  IFS='
'
  set -f
  # shellcheck disable=SC2086 # One word a line.
  print_leaves $files
)
count=$1
shift
names=$(first "$count" "$@")
shift "$count"
# shellcheck disable=SC2086 # Domains have no spaces.
field answers "$(timeout 20 getent ahostsv4 $names)"
# Links that came into a web root, or its public storage, after access was applied: what is found in some seconds, since there may be
# millions of uploads.
began=$(date +%s)
find() { timeout 3 find "$@"; }
found_in() {
  [ -d "$1" ] && [ $(($(date +%s) - began)) -lt 8 ] || return 0
  links_in "$1"
  storage=$(storage_of "$1")
  [ -z "$storage" ] || [ ! -d "$storage" ] || find "$storage" -type l
}
count=$1 at=0
shift
while [ "$at" -lt "$count" ]; do
  field "links.$at" "$(found_in "$root$1" | wc -l)"
  at=$((at + 1))
  shift
done
# Only applications of the framework with a console entry have the key, and no link leads out of the checkout.
url_of() (
  cd -P -- "$1" && top=$(pwd -P) && cd -P -- "./$2" || exit
  case $2 in '') expected=$top ;; *) expected=$top/$2 ;; esac
  [ "$(pwd -P)" = "$expected" ] && [ -f ./artisan ] && [ ! -L ./artisan ] && [ -f ./.env ] && [ ! -L ./.env ] || exit
  head -c 1048576 ./.env | awk '/^APP_URL=/ { sub(/^APP_URL=/, ""); print "=" $0; exit }'
)
at=0
while [ "$#" -ge 2 ]; do
  field "url.$at" "$(url_of "$root$1" "$2")"
  at=$((at + 1))
  shift 2
done
field end yes
