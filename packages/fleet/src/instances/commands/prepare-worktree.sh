# prepare worktree
# Arguments: after those of checkout.sh, the checkout whose repository it is to be in, the id of its preparation, the commit to begin
# with, the branch that it is to have.
main=$1 theirs=$2 start=$3 branch=$4
problem=$(mkdir -p -- "$root" 2>&1) || blame root-unusable "$problem" "$root"
[ -w "$root" ] && cd -P -- "$root" || say root-unusable
command -v git >/dev/null || say git-missing
work=./.fleet-preparation-$preparation quarantine=./.fleet-removal-$preparation

# The repository is that of the recorded checkout and has the commit, and the branch is nobody's.
is_usable() {
  own=$preparation preparation=$theirs
  proven "$main" && [ -d "$main/.git" ] && (cd "$main" && tame && g rev-parse -q --verify "$start^{commit}" >/dev/null && is_free)
  found=$? preparation=$own
  return "$found"
}
build() {
  mine=$main/.git/worktrees/$preparation
  mkdir -- "$work" && printf 'gitdir: %s\n' "$mine" >"$work/.git" && mkdir -p -- "$mine" && echo fleet >"$mine/locked" &&
    printf '%s/.git\n' "$(cd -P -- "$work" && pwd -P)" >"$mine/gitdir" && echo ../.. >"$mine/commondir" &&
    printf '%s\n' "$start" >"$mine/HEAD" && mark "$work"
}

make_project_folder
enter
if exists "./$name"; then proven "./$name" && [ -f "./$name/.git" ] && flush_storage . && say prepared; say occupied; fi
if exists "$quarantine"; then erase "$quarantine" || say occupied; fi
erase "$work" || { exists "$work" && say occupied; }
is_usable || say unusable
problem=$(build 2>&1) || { erase "$work"; blame failed "$problem" .; }
settle "$work" "./$name" && flush_storage . && say prepared
erase "$work"
say occupied
