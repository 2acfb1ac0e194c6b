# install the container of a Process
# Arguments: id and container of the Process, digest of its specification, what is wanted (`created`, `running` or
# `restarted`), its restart policy, its image, then the options of its creation, its image and its command. Standard input:
# its variables. Answers whether it was created, and its status.
id=$1 name=$2 wanted_digest=$3 wanted=$4 policy=$5 image=$6
shift 6
variables=$(cat)
alone "$id"
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
look_or_refuse "$name"
if [ -z "$seen" ]; then
  # An earlier replacement ended before its last step: the new one has the only volumes that are left.
  look "$name-new" || refuse docker-silent
  if [ -n "$seen" ]; then
    is_own "$id" || refuse foreign
    docker container rename "$name-new" "$name" && settle || refuse failed
  fi
fi
if [ -n "$seen" ] && ! is_own "$id"; then refuse foreign; fi
created=no
if [ "$(digest_seen)" != "$wanted_digest" ]; then
  before=$seen
  have_image
  look "$name-new" || refuse docker-silent
  if [ -n "$seen" ]; then
    is_own "$id" || refuse foreign
    discard "$name-new" with-volumes || refuse failed
  fi
  # The old one stays until the new one exists, which has its volumes, also those without a name.
  if [ -n "$before" ]; then set -- --volumes-from "$name" "$@"; fi
  said=$(create "$@") || { discard "$name-new" with-volumes; refuse_for "$said"; }
  if [ -n "$before" ]; then discard "$name" || refuse failed; fi
  docker container rename "$name-new" "$name" && settle || refuse failed
  created=yes
fi
start() {
  resume "$name" || refuse failed
  # The stop of a Process takes its policy away.
  { [ "$policy" = no ] && [ "$(policy_seen)" = no ]; } || timeout "$DOCKER_SECONDS" docker container update --restart "$policy" "$name" >/dev/null || refuse failed
  said=$(timeout "$DOCKER_SECONDS" docker container "$1" "$name" 2>&1 >/dev/null) || refuse_for "$said"
}
case $wanted in
  running) start start ;;
  restarted) start restart ;;
esac
look "$name" && [ -n "$seen" ] || refuse failed
field created "$created"
field status "$(status_seen)"
