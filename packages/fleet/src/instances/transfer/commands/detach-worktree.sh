# detach worktree
# Arguments: those of checkout.sh. Gives a linked worktree a repository of its own, with everything that its repository has, and
# takes it out of that one.
fresh=./.fleet-repository-$preparation link=./.fleet-link-$preparation
command -v git >/dev/null || say git-missing
enter

# copied FROM: what is in it and no part of another worktree comes to $fresh.
copied() {
  find "$1" ! -path "$1" -prune ! \( -name worktrees -o -name "$receipt" -o -name modules -o -name objects -o -name packed-refs \
    -o -name index -o -name 'index.*' -o -name '*HEAD' -o -name 'MERGE_*' -o -name 'BISECT_*' -o -name 'REBASE_*' -o -name 'rebase-*' \
    -o -name sequencer -o -name COMMIT_EDITMSG -o -name config.worktree -o -name gc.pid -o -name '*.lock' \) \
    -exec cp -a -t "$fresh" -- {} +
}
# References come before those that were packed meanwhile, and all before the objects that they name.
build() {
  mkdir -- "$fresh" && copied "$shared_git" && rm -rf -- "$fresh/logs/HEAD" || return 1
  for part in bisect worktree rewritten; do rm -rf -- "$fresh/refs/$part" "$fresh/logs/refs/$part" || return 1; done
  [ ! -f "$shared_git/packed-refs" ] || cp -a -t "$fresh" -- "$shared_git/packed-refs" || return 1
  # Objects never change, so that both repositories may have the same files.
  cp -al -t "$fresh" -- "$shared_git/objects" || cp -a -t "$fresh" -- "$shared_git/objects" || return 1
  find "$own_git" ! -path "$own_git" -prune ! -name "$receipt" ! -name gitdir ! -name commondir ! -name locked -exec cp -a -t "$fresh" -- {} +
}
# facts FOLDER: what Git says with it.
facts() (
  cd "./$name" && tame && GIT_DIR=$1 || exit 1
  g symbolic-ref -q HEAD
  g rev-parse -q --verify HEAD
  g for-each-ref
  g ls-files -s -t
)
is_whole() { [ "$(facts "$own_git")" = "$(facts "$(pwd -P)/${fresh#./}")" ]; }

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
# Unflushed "$fresh": it is built anew.
rm -rf -- "$fresh"
problem=$(build 2>&1 && mkdir -- "$fresh/$receipt" && printf '%s %s\n%s\n' "$preparation" "$(ident "./$name")" "$(storage "./$name")" 2>&1 >"$fresh/$receipt/preparation") ||
  { rm -rf -- "$fresh"; blame failed "$problem" .; }
is_whole || { rm -rf -- "$fresh"; say changed; }
flush_storage "$fresh" || { rm -rf -- "$fresh"; blame failed '' .; }
trap '' HUP INT TERM
mv -nT -- "./$name/.git" "$link" && flush . && mv -nT -- "$fresh" "./$name/.git" && flush "./$name" && flush . || say failed
finish
