# shellcheck shell=sh
# Repositories of their own below a checkout, such as packages in `vendor` that were installed from their sources, asked inside it after `tame`.

# nested_work: paths of at most ten that have changes, stashes, or commits that none of their remotes had when it was last asked. One that
# cannot be read has nothing that Git could lose.
nested_work() {
  find . -path ./.git -prune -o -name .git -type d -prune -print | LC_ALL=C sort | while IFS= read -r folder; do
    (has_work "${folder%/.git}") && printf '%s\n' "${folder%/.git}"
  done | sed 's|^\./||' | head -n 10
}
has_work() {
  cd "$1" || return 1
  GIT_DIR=$(pwd -P)/.git GIT_WORK_TREE=$(pwd -P)
  disarm
  state=$(g status --porcelain --untracked-files=all --ignore-submodules=none) || return 1
  [ -z "$state" ] || return 0
  g rev-parse -q --verify refs/stash >/dev/null && return 0
  g rev-parse -q --verify HEAD >/dev/null || return 1
  # Composer checks out what a tag names.
  [ -n "$(g rev-list --max-count=1 HEAD --branches --not --remotes --tags)" ]
}
