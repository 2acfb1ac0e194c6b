# shellcheck shell=sh disable=SC2154 # Those of install-container.sh.
# A container that takes the place of another one, for install-container.sh with its arguments.

# refuse_for TEXT: the reason that is in Docker's message.
refuse_for() {
  case $1 in
    *'port is already allocated'* | *'address already in use'*) refuse port-taken ;;
    *'cannot assign requested address'*) refuse port-taken ;;
    *[Nn]'o space left on device'*) refuse disk-full ;;
    *'bind source path does not exist'* | *'invalid mount config'*) refuse no-mount ;;
    *'executable file not found'* | *'no such file or directory'* | *'ermission denied'*) refuse no-command ;;
    *) refuse failed ;;
  esac
}
create() {
  # Only what it prints on its error output is of use.
  printf '%s\n' "$variables" | { timeout "$DOCKER_SECONDS" docker container create --name "$name-new" \
    --label fleet.managed=true --label "fleet.process.id=$id" --label "fleet.process.digest=$wanted_digest" \
    --restart "$policy" --env-file /dev/stdin "$@" 3>&1 >/dev/null 2>&3; }
}
have_image() {
  docker image inspect "$image" >/dev/null && return 0
  said=$(docker image pull --quiet "$image" 2>&1 >/dev/null) && return 0
  case $said in *[Nn]'o space left on device'*) refuse disk-full ;; *) refuse no-image ;; esac
}
# finish_replacement: an earlier one ended before its last step, and the new container has the only volumes that are left.
finish_replacement() {
  look "$name-new" || refuse docker-silent
  [ -n "$seen" ] || return 0
  is_own "$id" || refuse foreign
  docker container rename "$name-new" "$name" && settle || refuse failed
}
