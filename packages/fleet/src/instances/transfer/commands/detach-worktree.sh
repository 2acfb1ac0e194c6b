# detach worktree
# Arguments: those of checkout.sh. Gives a linked worktree a repository of its own, with everything that its repository has, and
# takes it out of that one.
fresh=./.fleet-repository-$preparation link=./.fleet-link-$preparation
command -v git >/dev/null || say git-missing
enter

finish() {
  proven "./$name" && [ -d "./$name/.git" ] || say foreign
  if exists "$link"; then
    IFS= read -r former <"$link"
    former=${former#gitdir: }
    # Only that of this very checkout.
    case $former in */.git/worktrees/?*) [ ! -f "$former/$receipt/preparation" ] ||
      { read -r claimed <"$former/$receipt/preparation" && [ "${claimed%% *}" = "$preparation" ] && remove_tree "$former"; } || say failed ;; esac
    remove "$link" || say failed
  fi
  flush_storage . || say failed
  say detached
}

# Where it was cut off between both names.
if [ ! -e "./$name/.git" ] && exists "$link" && read -r claimed <"$fresh/$receipt/preparation" && [ "$claimed" = "$preparation $(ident "./$name")" ]; then
  mv -nT -- "$fresh" "./$name/.git" && flush "./$name" || say failed
fi
[ ! -d "./$name/.git" ] || finish
proven "./$name" || say foreign
claim "./$name"
locate "./$name"
! exists "$own_git/modules" && ! exists "$shared_git/reftable" && ! exists "$shared_git/objects/info/alternates" || say inseparable
rm -rf -- "$fresh"
problem=$(build 2>&1 && mkdir -- "$fresh/$receipt" && printf '%s %s\n%s\n' "$preparation" "$(ident "./$name")" "$(storage "./$name")" 2>&1 >"$fresh/$receipt/preparation") ||
  { rm -rf -- "$fresh"; blame failed "$problem" .; }
is_whole || { rm -rf -- "$fresh"; say changed; }
flush_storage "$fresh" || { rm -rf -- "$fresh"; blame failed '' .; }
trap '' HUP INT TERM
mv -nT -- "./$name/.git" "$link" && flush . && mv -nT -- "$fresh" "./$name/.git" && flush "./$name" && flush . || say failed
finish
