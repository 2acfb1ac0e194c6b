# How a checkout comes to another commit: nothing that is only there is overwritten, whether Git ignores it or not, and what a Git
# that was cut off has written is not taken for somebody's work. The mark names the commit that it began at, the one that it was to
# reach, and the branch of that.

# begin_checking_out COMMIT BRANCH: before Git begins.
begin_checking_out() {
  ! exists "$GIT_DIR/index.lock" || { field path "$(in_ascii "$GIT_DIR/index.lock")"; say locked; }
  fresh=$receipts/checking-out.$preparation
  remove "$fresh"
  (set -C && printf '%s %s %s\n' "$(g rev-parse -q --verify HEAD)" "$(g rev-parse -q --verify "$1^{commit}")" "$2" >"$fresh") &&
    flush "$fresh" && mv -f -- "$fresh" "$receipts/checking-out" && flush "$receipts" || blame failed '' "$receipts"
}

# Once all of it is on the disk.
end_checking_out() { remove "$receipts/checking-out"; }

# not_checked_out PROBLEM: says why Git refused or failed.
not_checked_out() {
  case $1 in
    *'would be overwritten by '* | *'would lose untracked files in '*)
      # Git has written nothing. One is named: there may be thousands.
      end_checking_out
      field path "$(in_ascii "$(printf '%s\n' "$1" | sed -n "s/^$tab//p" | head -n 1)")"
      say in-the-way ;;
  esac
  put_back
  case $1 in *'filter lfs failed'* | *"filter 'git-lfs"*) blame lfs-failed "$1" "$receipts" ;; esac
  blame failed "$1" "$receipts"
}

problem=
tab=$(printf '\t')
# An answer is text, which a name need not be.
in_ascii() { printf '%s\n' "$1" | tr -c '\n\040-\176' '?'; }

is_begun() {
  [ -f "$receipts/checking-out" ] && [ ! -L "$receipts/checking-out" ] && read -r began_at aimed_at aimed_branch <"$receipts/checking-out"
}

# Before a script looks at the checkout: continues what an earlier one was cut off in.
recover() {
  is_begun || return 0
  for lock in "$GIT_DIR/index" "$GIT_DIR/HEAD" "$GIT_DIR/ORIG_HEAD" "$shared_git/config" "$shared_git/refs/heads/$aimed_branch"; do
    lock=$lock.lock
    exists "$lock" || continue
    # Of a Git that works now.
    ! is_open "$lock" || say busy
    remove "$lock"
  done
  put_back
}
# Where /proc exists.
is_open() {
  # shellcheck disable=SC3013 # The shells of all systems have it.
  for descriptor in /proc/[0-9]*/fd/*; do [ "$descriptor" -ef "$1" ] && return; done
  return 1
}
