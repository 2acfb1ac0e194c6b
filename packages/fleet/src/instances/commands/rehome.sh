# How a checkout gets another place, with the functions of naming.sh.
# rehome FROM TO DIRECTORY: this checkout was at FROM and is to be at TO. Its links and environment files follow, and the caches of the
# application in DIRECTORY that name places are made again by whoever needs them. What Git has of it stays.
rehome() {
  source=$1 here=$2 old='' new='' below=${3:+$3/}
  [ "$source" != "$here" ] || return 0
  for path in bootstrap/cache var/cache; do
    [ -d "./$below$path" ] && [ ! -L "./$below$path" ] || continue
    g ls-files -z --others -- ":(top,literal)$below$path" | xargs -0 -r rm -rf -- || return 1
  done
  lead_links || return 1
  for path in .env .env.testing; do
    if [ -f "./$below$path" ] && grep -qF -e "$source" -- "./$below$path"; then rename "$below$path" || return 1; fi
  done
}
