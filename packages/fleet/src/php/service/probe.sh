# shellcheck shell=sh
# $1: names of the pools, whose sockets are there once the manager has read them.
for name in ${1#-}; do
  [ -S "$root/run/php/$name.sock" ] || return 1
done
