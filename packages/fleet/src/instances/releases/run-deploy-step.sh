# run deploy step
# Arguments: after those of checkout.sh, the seconds that the step may take. Standard input: its command. What the step prints is
# what this prints, and its exit status is this one's: 240 for a step that took too long, 241 for a directory that is not there, 242
# for one that an earlier script works on, and 1 for a step that ends with one of these.
limit=$1
say() { [ "$1" != busy ] || exit 242; exit 241; }
command -v bash >/dev/null || exit 127
enter
proven "./$name" || say foreign
claim "./$name" 2>/dev/null
cd "./$name" || say foreign
trap 'end_strays 2>/dev/null; exit 1' HUP INT TERM
status=0
# Job control gives the step a process group of its own, which dash refuses without a terminal and bash does not. Should the step
# kill its parent, nobody waits for what counts its time: that has nothing open and ends with the strays.
# shellcheck disable=SC2016 # The inner shell expands them.
(
  PATH=$session_path
  if [ -n "$session_locale" ]; then LC_ALL=$session_locale; else unset LC_ALL; fi
  unset OLDPWD
  exec bash -c '
set -m
limit=$1 mark=$2
text=$(cat)
(
  FLEET_STEP=$mark exec bash -eu /dev/fd/3 2>&4 4>&- 3<<<"exec 3<&-
$text"
) </dev/null &
step=$!
trap "kill -KILL -- -$step" HUP INT TERM
exec 4>&-
{ FLEET_STEP=$mark sleep "$limit" && kill -KILL -- -$step; } </dev/null >/dev/null 2>&1 &
watch=$!
wait "$step"
status=$?
kill -KILL -- -$watch -$step
if [ "$status" = 137 ] && [ "$SECONDS" -ge "$limit" ]; then exit 240; fi
[ "$status" -lt 240 ] || [ "$status" -gt 242 ] || status=1
exit "$status"
' bash "$limit" "$preparation"
) || status=$?
end_strays >/dev/null 2>&1
exit "$status"
