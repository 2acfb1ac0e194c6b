# wait for the root login of a database server
# Arguments: container, engine and seconds. Standard input: the root password on a line, then a statement.
container=$1 engine=$2 seconds=$3
command -v docker >/dev/null || refuse no-docker
input=$(cat)
whole "$input" || refuse incomplete
end=$(($(date +%s) + seconds))
until printf '%s\n' "$input" | client "$container" "$engine" '' >/dev/null 2>&1; do
  [ "$(date +%s)" -lt "$end" ] || refuse no-login
  sleep 0.5
done
# What the image wrote besides the database, such as the rules of its logins, is written at the first start alone.
sync --file-system -- "$(docker info --format '{{.DockerRootDir}}')" || refuse not-written
field ready yes
