# provision environment
# Arguments: after those of checkout.sh, the application directory, `empty` or `none` where there is no example, the most
# bytes of an example, the `APP_URL` that the file is to have or nothing.
directory=$1 otherwise=$2 limit=$3 url=$4
# Without a URL the bytes stay as they are.
with_url() {
  [ -n "$url" ] || { cat; return; }
  awk -v url="$url" '/^APP_URL=/ { if (!said++) print "APP_URL=" url; next } { print } END { if (!said) print "APP_URL=" url }'
}
enter
require_proven "./$name"
claim "./$name"
cd "./$name" || say foreign
descend "$directory"
case $reached in unsafe) say unsafe-directory ;; absent) say kept ;; esac
fresh=./.env.fleet-$preparation
remove "$fresh"
exists ./.env && say kept
umask 077
if exists ./.env.example; then
  [ -f ./.env.example ] && [ ! -L ./.env.example ] || say unsafe-example
  [ "$(($(wc -c <./.env.example)))" -le "$limit" ] || say unsafe-example
  (set -C && with_url <./.env.example >"$fresh") || { remove "$fresh"; say failed; }
elif [ "$otherwise" = empty ]; then
  (set -C && with_url </dev/null >"$fresh") || say failed
else
  say kept
fi
flush "$fresh" || { remove "$fresh"; say failed; }
ln -- "$fresh" ./.env
linked=$?
# The new name is on the disk before the old one goes, so that a power cut leaves one of them.
flush . || say failed
remove "$fresh" || say failed
exists ./.env || say failed
[ "$linked" = 0 ] && say made
say kept
