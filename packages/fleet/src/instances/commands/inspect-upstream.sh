# inspect upstream
# Arguments: after those of checkout.sh, the URL of the next origin or nothing, the branch that it is read by, the branch that is
# checked out now or nothing, the next one or nothing, the path of its `.env`, the patterns of its candidates. Nothing is changed
# but for objects that nothing names, and what a switch that was cut off left.
url=$1 probe=$2 from=$3 to=$4 own=$5 candidates=$6
command -v git >/dev/null || say git-missing
enter
require_proven "./$name"
claim "./$name"
cd "./$name" || say foreign
# Its configuration is that of another repository.
exists .git/commondir && say common
tame
recover
field origin "$(g config --local --get-all remote.origin.url)"
field heads "$(g rev-parse -q --verify "refs/heads/$to" || true)"

if [ -n "$to" ] && [ "$(g symbolic-ref -q HEAD)" = "refs/heads/$to" ]; then field switched yes; else field switched no; fi

# What the other repository has is kept under a name of the attempt until it was compared.
seen=refs/fleet/upstream-$preparation
fetch() { problem=$(remote fetch -q --no-tags --no-recurse-submodules --no-write-fetch-head "$1" "+refs/heads/$2:$seen" 2>&1); }
unfetched() { g update-ref -d "$seen"; field complaint "$(printf '%s' "$problem" | tail -c 2048)"; blame fetch-failed "$problem" "$receipts"; }
related() {
  for known in HEAD $(g for-each-ref --format='%(refname)' refs/remotes/origin refs/heads); do
    g rev-parse -q --verify "$known^{commit}" >/dev/null || continue
    some=yes
    g merge-base "$known" "$seen" >/dev/null && return
  done
  [ -z "$some" ]
}
if [ -n "$url" ]; then
  case $url in -*) problem=; unfetched ;; esac
  # The login is for the next origin, which `origin` means with it.
  next=$url
  [ "$login" = none ] || next=origin
  fetch "$next" "$probe" || unfetched
  some=
  related || { g update-ref -d "$seen"; say unrelated; }
fi
if [ -n "$to" ]; then
  if [ "$(g symbolic-ref -q HEAD)" != "refs/heads/$to" ]; then
    [ "$(g symbolic-ref -q HEAD)" = "refs/heads/$from" ] || say branch
    is_committed "$own" || say dirty
    g rev-parse -q --verify "refs/heads/$to^{commit}" >/dev/null || {
      # A new origin was asked for its branch before.
      [ -n "$url" ] || fetch origin "$to" || unfetched
    }
  fi
fi
g update-ref -d "$seen"
say inspected
