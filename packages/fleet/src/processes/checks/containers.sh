# shellcheck shell=sh
# Id and container of each Process in turn. Fields by id: the digest of its own container, or `none`, `foreign` or `silent`,
# and its state.
while [ $# -gt 0 ]; do
  seen=''
  state=''
  if ! command -v docker >/dev/null; then digest=none
  elif ! look "$2"; then digest=silent
  elif [ -z "$seen" ]; then digest=none
  elif is_own "$1"; then
    digest=$(digest_seen)
    state=$(status_seen)
  else digest=foreign; fi
  field "digest.$1" "$digest"
  field "state.$1" "$state"
  shift 2
done
field end yes
