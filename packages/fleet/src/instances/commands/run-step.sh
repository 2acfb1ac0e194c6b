# run lifecycle step
# Arguments: after those of checkout.sh, the seconds that the step may take. Standard input: its command.
limit=$1
command -v bash >/dev/null || say bash-missing
enter
proven "./$name" || say foreign
claim "./$name"
cd "./$name" || say foreign
# The scripts read answers of programs in one language; a step works in the language of its user.
PATH=$session_path
if [ -n "$session_locale" ]; then LC_ALL=$session_locale; else unset LC_ALL; fi
unset OLDPWD
# Job control gives the step a process group of its own, which dash refuses without a terminal and bash does not.
# shellcheck disable=SC2016 # The inner shell expands them.
exec bash -c '
set -m
limit=$1
text=$(cat)
bash -eu /dev/fd/3 3<<<"exec 3<&-
$text" </dev/null >/dev/null &
step=$!
trap "kill -KILL -- -$step" HUP INT TERM
sleep "$limit" </dev/null >/dev/null && kill -KILL -- -$step &
watch=$!
wait "$step"
status=$?
kill -KILL -- -$watch -$step
if [ "$status" = 137 ] && [ "$SECONDS" -ge "$limit" ]; then end=timeout; else end="exit $status"; fi
printf "end %d\n%s\nanswer 5\nended\n" "${#end}" "$end"
' bash "$limit"
