# provision environment
# Arguments: after those of checkout.sh, the application directory, `empty` or `none` where there is no example, the most
# bytes of an example.
directory=$1 otherwise=$2 limit=$3
enter
proven "./$name" || say foreign
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
  (set -C && cat ./.env.example >"$fresh") || { remove "$fresh"; say failed; }
elif [ "$otherwise" = empty ]; then
  (set -C && : >"$fresh") || say failed
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
