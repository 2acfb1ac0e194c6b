# inspect source
# Arguments: after those of checkout.sh, `ask`, `skip` or `head` for what is checked out alone, the removal to record it for or nothing, the path of its `.env`, the
# patterns of its candidates, the layout that it is recorded with. The
# origin's branches, tags and notes go under references of their own: tracking references and local tags prove nothing.
ask=$1 removal=$2 own=$3 candidates=$4 layout=$5
enter
exists "./$name" || say absent
[ ! -L "./$name" ] || say unsafe
[ -d "./$name" ] && exists "./$name/.git" || say no-checkout
[ ! -L "./$name/.git" ] && if [ "$layout" = worktree ]; then leads "./$name"; else [ -d "./$name/.git" ]; fi || say layout
proven "./$name" || say foreign
claim "./$name"
cd "./$name" || say foreign
kept=$(unremovable .)
tame
recover

# Worktrees of one repository may be looked at together.
mine=refs/fleet/origin-$preparation
origin=skipped lost=no nested=
if [ "$ask" != skip ]; then
  if remote fetch -q --force --prune --no-tags --no-recurse-submodules origin \
    "+refs/heads/*:$mine/heads/*" "+refs/tags/*:$mine/tags/*" "+refs/notes/*:$mine/notes/*"; then
    origin=asked
    if [ "$ask" = ask ]; then nested=$(nested_work); fi
    if [ "$ask" = head ]; then set --; elif [ -f .git ]; then set -- --glob=refs/worktree; else set -- --branches --tags --glob=refs/notes; fi
    lost=$(g rev-list --max-count=1 HEAD "$@" --not --glob="$mine/*") || lost=unknown
    if [ -n "$lost" ]; then lost=yes; else lost=no; fi
  else
    origin=silent
  fi
fi
# Those too that an earlier look left when it was cut off.
g for-each-ref --format='delete %(refname)' "$mine" | g_reading update-ref --stdin
if [ "$ask" = head ]; then all=$(own_head | digest); else all=$(heads); fi
if [ -n "$removal" ]; then
  fresh=$receipts/removal.$removal
  rm -f -- "$fresh"
  (set -C && printf '%s %s %s\n' "$removal" "$all" "$(worktrees | digest)" >"$fresh") && flush "$fresh" &&
    mv -f -- "$fresh" "$receipts/removal" && flush "$receipts" || say record-failed
fi
field origin "$(g config --get remote.origin.url)"
field head "$(g symbolic-ref -q HEAD)"
field cleanliness "$(loss "$own")"
field asked "$origin"
field lost "$lost"
field worktrees "$(($(worktrees | wc -l)))"
field links "$(places)"
field heads "$all"
field nested "$nested"
field kept "${kept:+$(pwd -P)/${kept#./}}"
say inspected
