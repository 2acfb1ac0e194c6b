# shellcheck shell=sh
# $1: root folder; $2: folder of awake markers; then id, container and Instance of each Process in turn. Fields by id: the
# digest of its own container, or `none`, `foreign` or `silent`, its state, its restart policy, and whether its Instance is awake.
markers=$1$2
shift 2
DOCKER_SECONDS=5
if is_stopped; then answers=no; else answers=yes; fi
while [ $# -gt 0 ]; do
  seen=''
  state=''
  policy=''
  if ! command -v docker >/dev/null; then digest=none
  # One that does not answer once is not waited for again.
  elif [ "$answers" = no ] || ! look "$2"; then answers=no digest=silent
  elif [ -z "$seen" ]; then digest=none
  elif is_own "$1"; then
    digest=$(digest_seen)
    state=$(status_seen)
    # Docker's `exited` is also what ended well.
    if [ "$state" = exited ] && [ "$(exit_seen)" != 0 ]; then state=failed; fi
    policy=$(policy_seen)
  else digest=foreign; fi
  field "digest.$1" "$digest"
  field "state.$1" "$state"
  field "policy.$1" "$policy"
  if [ -f "$markers/$3.awake" ]; then awake=yes; else awake=no; fi
  field "awake.$1" "$awake"
  shift 3
done
field end yes
