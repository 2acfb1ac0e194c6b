# stop the container of a Process
# Arguments: id and container of the Process. Answers its status.
id=$1 name=$2
alone "$id"
look_or_refuse "$name"
# What is not there is not running.
[ -n "$seen" ] || { field status exited; exit 0; }
is_own "$id" || refuse foreign
# Policies but `unless-stopped` would start it again with Docker.
timeout "$DOCKER_SECONDS" docker container update --restart no "$name" >/dev/null || refuse failed
timeout "$DOCKER_SECONDS" docker container stop "$name" >/dev/null || refuse failed
look "$name" && [ -n "$seen" ] || refuse failed
field status "$(status_seen)"
