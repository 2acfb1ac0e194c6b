# shellcheck shell=sh
directory=$1 link=$2
service_state
[ "$directory" = - ] || executable_state
hook facts
