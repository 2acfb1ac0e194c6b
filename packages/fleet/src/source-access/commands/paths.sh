# shellcheck shell=sh
# Paths of a checkout. $checkout is the checkout.
# pattern PATH: for find, to the letter.
pattern() { printf '%s' "$1" | sed 's/[][*?\\]/\\&/g'; }
# above PATH: the folders from the checkout to it, a line each.
above() {
  place=$1
  while [ "$place" != "$checkout" ]; do
    place=${place%/*}
    printf '%s\n' "$place"
  done
}
# real PATH: a folder, and no link on the way to it from the checkout.
real() {
  [ -d "$1" ] && [ ! -L "$1" ] && [ -z "$(above "$1" | while IFS= read -r place; do [ ! -L "$place" ] || printf x; done)" ]
}
# storage_of ROOT: what Laravel publishes beside a root of the name `public`.
storage_of() { case $1 in */public) printf '%s' "${1%/public}/storage/app/public" ;; esac; }
# links_in ROOT: the links in it, which may lead anywhere, but for the one to its public storage.
links_in() {
  published=$(storage_of "$1")
  if [ -L "$1/storage" ] && [ -n "$published" ] && [ "$(readlink -m -- "$1/storage")" = "$(readlink -m -- "$published")" ]; then
    find "$1" -type l ! -path "$(pattern "$1/storage")"
  else
    find "$1" -type l
  fi
}
