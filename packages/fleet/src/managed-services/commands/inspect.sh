# shellcheck shell=sh
directory=$1 link=$2
# The service's own question at the same time: it starts programs. What is found meanwhile is told after it.
hook facts &
asking=$!
found=$(
  service_state
  [ "$directory" = - ] || executable_state
  printf end
)
wait "$asking" || exit
printf '%s' "${found%end}"
