# read the queue dashboard
# Arguments: the folder of the application, seconds, what the reader is given (five words), then PHP with its options. The
# reader is on standard input.
cd -P -- "$1" || refuse directory
seconds=$2 state=$3 limit=$4 name=$5 text=$6 queues=$7
shift 7
command -v "$1" >/dev/null || refuse program
# As an argument, since PHP that reads its program from standard input has no constants for its streams.
reader=$(cat) || exit 1
# What the application prints by itself is no answer, so that has a descriptor of its own.
answer=$(timeout -k 2 "$seconds" "$@" -d display_errors=0 -d memory_limit=256M -r "${reader#'<?php'}" -- \
  "$state" "$limit" "$name" "$text" "$queues" 3>&1 >/dev/null </dev/null)
case $? in 124 | 137) refuse timeout ;; esac
field answer "$answer"
