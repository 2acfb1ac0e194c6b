# install the container of a Process
# Arguments: id and container of the Process, digest of its specification, what is wanted (`created`, `running` or
# `restarted`), its restart policy, its image, then the options of its creation, its image and its command. Standard input:
# its variables. Answers whether it was created, and its status.
id=$1 name=$2 wanted_digest=$3 wanted=$4 policy=$5 image=$6
shift 6
variables=$(cat)
alone "$id"
look_or_refuse "$name"
[ -n "$seen" ] || finish_replacement
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
