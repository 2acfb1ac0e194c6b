# resolve source
# Arguments: after those of checkout.sh, the origin's URL, the branch, the default branch, the line to exclude, the name of a
# checkout of the same preparation whose objects need not be fetched again, or nothing, and what checked_out takes.
url=$1 branch=$2 default=$3 exclude=$4 earlier=$5 flushed=$6
command -v git >/dev/null || say git-missing
enter
proven "./$name" || say foreign
claim "./$name"
cd "./$name" || say foreign
tame
find .git -type f -name '*.lock' -exec rm -f -- {} +

case $branch in -* | HEAD) say branch-invalid ;; esac
git check-ref-format "refs/heads/$branch" || say branch-invalid
case $url in -*) field complaint ''; say fetch-failed ;; esac
configure() {
  g config --replace-all remote.origin.url "$url" &&
    g config --replace-all remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*' || return 1
  # Unflushed {}, .git/info, .git/info/exclude: the whole storage is flushed before the answer.
  # A link in their place would lead the writing out of the checkout.
  [ ! -L .git/info ] || rm -f -- .git/info
  mkdir -p .git/info && rm -f -- .git/info/exclude && (set -C && printf '%s\n' "$exclude" >.git/info/exclude)
}
fetch() {
  # Small packs stay packs: what one checkout takes from another is a few files.
  problem=$(remote -c fetch.unpackLimit=1 fetch -q --force --prune --tags --no-recurse-submodules origin 2>&1)
}

# The objects of the earlier checkout as hard links, and what it knew of the origin, so that only the difference is fetched. What
# it has to share may be incomplete or broken: then it is fetched. After many packs the repository is fetched as one again.
MOST_FILES=150
take() {
  other=../$1/.git
  [ -z "$(ls -A .git/objects/pack)" ] && proven "../$1" && [ -d "$other/objects" ] && [ ! -L "$other/objects" ] || return 1
  for one in shallow objects/info/alternates; do [ ! -e "$other/$one" ] || return 1; done
  [ "$(git config --file "$other/config" extensions.objectformat)" = "$(git config extensions.objectformat)" ] || return 1
  [ "$(find "$other/objects" -type f | head -n "$MOST_FILES" | wc -l)" -lt "$MOST_FILES" ] || return 1
  # Flushed with the rest: the whole storage is flushed before the answer.
  cp -Rl "$other/objects/." .git/objects/ || return 1
  find .git/objects -type f -name 'tmp_*' -exec rm -f -- {} +
  GIT_DIR=$other g for-each-ref --format='create %(refname) %(objectname)' refs/remotes/origin | g_reading update-ref --stdin
}

# The repository is made anew, because nobody's work is in it yet: it was made with another hash of objects than its origin
# has, or a power cut took what an earlier attempt had written.
anew() { wipe ./.git "$receipt" && g init -q --template= "$@" && configure; }
renew() {
  case $problem in
    *'mismatched algorithms: '*'; server sha256'*) anew --object-format=sha256 ;;
    *'mismatched algorithms: '*'; server sha1'*) anew --object-format=sha1 ;;
    *corrupt* | *'is empty'* | *'bad object'* | *'unable to read'* | *'unable to resolve'* | *'not a valid object'*) anew ;;
    *) return 1 ;;
  esac
}
configure || anew || blame checkout-failed '' "$receipts"
[ -z "$earlier" ] || take "$earlier" || anew
fetch || { renew && fetch; } ||
  { field complaint "$(printf '%s' "$problem" | tail -c 2048)"; blame fetch-failed "$problem" "$receipts"; }

has() { g rev-parse -q --verify "$1^{commit}" >/dev/null; }
find_start() {
  from=
  for ref in "refs/remotes/origin/$branch" "refs/heads/$branch" "refs/remotes/origin/$default"; do
    has "$ref" && from=$ref && return
  done
  return 1
}
find_start || {
  # Git leaves out what comes from a cut history, and only warns about it.
  case $problem in *'shallow roots are not allowed'*) say source-shallow ;; esac
  [ -n "$(g for-each-ref --count=1 refs/remotes/origin)" ] || say source-empty
  say branch-missing
}

check_out() {
  if [ "$from" = "refs/remotes/origin/$branch" ]; then follow=--track; else follow=--no-track; fi
  problem=$(lent -c checkout.workers=0 checkout -q -f "$follow" -B "$branch" "$from" -- 2>&1 && g clean -q -ffdx 2>&1)
}
check_out || { renew && fetch && find_start && check_out; } || {
  case $problem in *'filter lfs failed'* | *"filter 'git-lfs"*) blame lfs-failed "$problem" "$receipts" ;; esac
  blame checkout-failed "$problem" "$receipts"
}
checked_out "$flushed"
