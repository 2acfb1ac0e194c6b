# run in a control group
# Arguments: its scope, the command. Standard input, both outputs and the exit status are the command's.
scope=$1 command=$2
exec 3<&0
end() { end_control_group "$scope" >/dev/null 2>&1; }
trap 'end; exit 1' HUP INT TERM
# What a request before this one has left, whose gateway died.
end
(
  enter_control_group "$scope" >/dev/null 2>&1
  eval "exec $command" <&3 3<&-
) &
# A signal ends the wait, which it would not end for a command in the foreground.
wait $!
status=$?
end
exit "$status"
