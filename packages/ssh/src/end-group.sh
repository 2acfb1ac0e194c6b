# end a process group
# Arguments: the group. TERM, up to a second of patience, then KILL. Members that sudo started belong to root, so what the
# user's own signal did not end is tried through sudo. Exit status 1 where something of it lives on.
group=$1
exec >/dev/null 2>&1
if ps -A -o stat= -o pgid=; then
  # shellcheck disable=SC2009 # pgrep cannot leave out members that ended and that nobody reaps.
  alive() { ps -A -o stat= -o pgid= | grep -q "^[^Z][^ ]* *$group\$"; }
else
  alive() { kill -s 0 -- "-$group"; }
fi
for signal in TERM KILL; do
  alive || exit 0
  kill -s "$signal" -- "-$group"
  alive && sudo -n kill -s "$signal" -- "-$group"
  patience=10
  while [ "$patience" -gt 0 ] && alive; do
    sleep 0.1 || sleep 1
    patience=$((patience - 1))
  done
done
! alive
