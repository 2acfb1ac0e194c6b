# run statements on a database server
# Arguments: container, engine, and where the statements are about a database, the lock of it; then that of its user or nothing, and
# `forget` when both go. Standard input: the root password on a line, then the statements. Answers their rows.
container=$1 engine=$2 lock=${3:-} user_lock=${4:-} last=${5:-}
command -v docker >/dev/null || refuse no-docker
input=$(cat)
# A statement that lost its end could mean something else.
whole "$input" || refuse incomplete
# What has begun is not left half-done by a connection that breaks.
trap '' HUP PIPE
[ -z "$lock" ] || alone "$lock"
[ -z "$user_lock" ] || also_alone "$user_lock"
rows=$(printf '%s\n' "$input" | client "$container" "$engine" '' 2>/dev/null) ||
  refuse_failed "$container" "$engine" "$input"
if [ "$last" = forget ]; then
  forget_lock "$lock"
  [ -z "$user_lock" ] || forget_lock "$user_lock"
fi
field rows "$rows"
