# run lifecycle step
# Arguments: after those of checkout.sh, the seconds that the step may take, the path and the commit of the deployed checkout that the
# Instance starts from or nothing. Standard input: its command.
limit=$1 seed=$2 seed_commit=$3
command -v bash >/dev/null || say bash-missing
enter
require_proven "./$name"
claim "./$name"
cd "./$name" || say foreign
trap 'end_strays; exit 1' HUP INT TERM
# Job control gives the step a process group of its own, which dash refuses without a terminal and bash does not. Its control
# group is entered before its first command, so that nothing of it is ever outside. What counts its time has nothing open
# and ends with the strays, should the step kill its parent.
# shellcheck disable=SC2016 # The inner shell expands them.
end=$(
  enter_control_group "$step_unit" >/dev/null
  # The scripts read answers of programs in one language; a step works in the language of its user.
  PATH=$session_path
  if [ -n "$session_locale" ]; then LC_ALL=$session_locale; else unset LC_ALL; fi
  unset OLDPWD
  if [ -n "$seed" ]; then export FLEET_SEED_PATH="$seed" FLEET_SEED_COMMIT="$seed_commit"; fi
  for place in /opt/orbit/vite-plus "${HOME-}/.vite-plus" "${HOME-}/.local/share/vite-plus"; do
    if [ -z "${VP_HOME-}" ] && [ -x "$place/bin/vp" ]; then export VP_HOME="$place"; fi
  done
  exec bash -c '
set -m
limit=$1 mark=$2
text=$(cat)
(
  FLEET_STEP=$mark exec bash -eu /dev/fd/3 3<<<"exec 3<&-
$text"
) </dev/null >/dev/null &
step=$!
trap "kill -KILL -- -$step" HUP INT TERM
{ FLEET_STEP=$mark sleep "$limit" && kill -KILL -- -$step; } </dev/null >/dev/null 2>&1 &
watch=$!
wait "$step"
status=$?
kill -KILL -- -$watch -$step
if [ "$status" = 137 ] && [ "$SECONDS" -ge "$limit" ]; then echo timeout; else echo "exit $status"; fi
' bash "$limit" "$preparation"
)
status=$?
end_strays
# A step that kills who watches it has failed as one that kills itself.
[ -n "$end" ] || [ "$status" -le 128 ] || end="exit $status"
[ -n "$end" ] || exit 1
field end "$end"
say ended
