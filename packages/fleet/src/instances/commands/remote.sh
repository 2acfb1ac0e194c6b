# Git with the login of the Project, which comes on standard input.
read_login

# remote WORDS…: Git that talks to the origin. With a login it works in a folder of its own, which has nothing of the checkout
# but its objects and references: what the settings of the checkout name – another server, a proxy, a program – learns nothing.
remote() (
  [ "$login" != none ] || {
    g "$@"
    exit
  }
  trap 'exit 143' HUP INT TERM
  enclosure=$(mktemp -d) || exit 1
  # Unflushed "$enclosure": it is a temporary folder, and all that counts lies behind its links.
  trap 'rm -rf -- "$enclosure"' EXIT
  enclose "$GIT_DIR" "$enclosure" || exit 1
  GIT_DIR=$enclosure
  through=with_login
  g "$@"
)

# lent WORDS…: Git in the checkout, whose filters may talk to the Git host.
lent() (
  through=with_login
  g "$@"
)

# enclose FROM TO
enclose() {
  own=$2
  shared=$(git rev-parse --git-common-dir) || return 1
  for part in objects refs packed-refs shallow logs reftable; do
    # What Git makes as a file may come to be behind its link, a folder may not.
    case $part in logs | reftable) [ -d "$shared/$part" ] || continue ;; esac
    # Unflushed "$own/$part": the folder is gone with the command.
    ln -s -- "$shared/$part" "$own/$part" || return 1
  done
  cp -- "$1/HEAD" "$own/HEAD" || return 1
  set_own() { git config --file "$own/config" "$@"; }
  for name in core.repositoryformatversion extensions.objectformat extensions.refstorage; do
    value=$(git config --local --get "$name") || continue
    set_own "$name" "$value" || return 1
  done
  set_own remote.origin.url "$login_url" || return 1
  git config --local --get-all remote.origin.fetch | while IFS= read -r wanted; do
    set_own --add remote.origin.fetch "$wanted"
  done
}
