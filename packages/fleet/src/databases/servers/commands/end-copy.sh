# end what is still copied into a database
# Arguments: container, engine and the lock of the database. Standard input: the root password on a line, then a statement whose rows
# are statements that each end a session there. Answers that no script of an earlier request works there.
container=$1 engine=$2 lock=$3
command -v docker >/dev/null || refuse no-docker
input=$(cat)
whole "$input" || refuse incomplete
password=${input%%
*}
end_sessions() {
  ends=$(printf '%s\n' "$input" | client "$container" "$engine" '' 2>/dev/null) || return 1
  printf '%s\n' "$ends" | while IFS= read -r each; do
    # One that has ended by itself meanwhile is no failure.
    [ -z "$each" ] || printf '%s\n%s\n' "$password" "$each" | client "$container" "$engine" '' >/dev/null 2>&1
  done
  return 0
}
alone "$lock" end_sessions
# Also of a copy whose script has died without it. Of a server that does not say who is connected nobody knows.
end_sessions || refuse_failed "$container" "$engine" "$input"
field ended yes
