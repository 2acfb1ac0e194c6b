# run statements on a database server
# Arguments: container and engine. Standard input: the root password on a line, then the statements. Answers their rows.
container=$1 engine=$2
command -v docker >/dev/null || refuse no-docker
input=$(cat)
# A statement that lost its end could mean something else.
whole "$input" || refuse incomplete
# What has begun is not left half-done by a connection that breaks.
trap '' HUP PIPE
rows=$(printf '%s\n' "$input" | client "$container" "$engine" '' 2>/dev/null) || refuse failed
field rows "$rows"
