# How a linked worktree gets a repository of its own, $fresh.
# copied FROM: what is in it and no part of another worktree comes to $fresh.
copied() {
  find "$1" -mindepth 1 -maxdepth 1 ! \( -name worktrees -o -name "$receipt" -o -name modules -o -name objects -o -name packed-refs \
    -o -name index -o -name 'index.*' -o -name '*HEAD' -o -name 'MERGE_*' -o -name 'BISECT_*' -o -name 'REBASE_*' -o -name 'rebase-*' \
    -o -name sequencer -o -name COMMIT_EDITMSG -o -name config.worktree -o -name gc.pid -o -name '*.lock' \) \
    -exec cp -a -t "$fresh" -- {} +
}
# References come before those that were packed meanwhile, and all before the objects that they name.
build() {
  # Unflushed "$fresh/logs/HEAD", "$fresh/refs/$part", "$fresh/logs/refs/$part": the whole storage is flushed before it counts.
  mkdir -- "$fresh" && copied "$shared_git" && rm -rf -- "$fresh/logs/HEAD" || return 1
  for part in bisect worktree rewritten; do rm -rf -- "$fresh/refs/$part" "$fresh/logs/refs/$part" || return 1; done
  [ ! -f "$shared_git/packed-refs" ] || cp -a -t "$fresh" -- "$shared_git/packed-refs" || return 1
  # Objects never change, so that both repositories may have the same files.
  cp -al -t "$fresh" -- "$shared_git/objects" || cp -a -t "$fresh" -- "$shared_git/objects" || return 1
  find "$own_git" -mindepth 1 -maxdepth 1 ! -name "$receipt" ! -name gitdir ! -name commondir ! -name locked -exec cp -a -t "$fresh" -- {} +
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
