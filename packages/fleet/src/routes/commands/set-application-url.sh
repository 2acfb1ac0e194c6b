# set application URL
# Arguments: the checkout, the application directory below it or nothing, the URL, the home that keeps the file for every
# release or nothing.
checkout=$1 directory=$2 url=$3 home=$4
cd -P -- "$checkout" || refuse checkout_missing
root=$(pwd -P)
cd -P -- "./$directory" || { field answer unsupported; exit 0; }
# A link on the way leads to an application of somebody else.
case $directory in '') expected=$root ;; *) expected=$root/$directory ;; esac
[ "$(pwd -P)" = "$expected" ] || refuse directory_unsafe
# Without its console entry it is no application of the framework, and its files belong to nobody here.
[ -f ./artisan ] && [ ! -L ./artisan ] || { field answer unsupported; exit 0; }
kept=.
if [ -n "$home" ]; then
  below=env${directory:+/$directory}
  kept=$home/$below
  make_folder "$kept" || refuse failed
  # Somebody else's files may be behind a link.
  [ "$(cd -P -- "$kept" && pwd -P)" = "$(cd -P -- "$home" && pwd -P)/$below" ] || refuse directory_unsafe
fi
file=$kept/.env fresh=$kept/.env.fleet-url
# link_kept: what the release has in its place is not used.
link_kept() {
  [ -n "$home" ] || return 0
  [ "$(readlink ./.env)" != "$file" ] || return 0
  if [ -d ./.env ] && [ ! -L ./.env ]; then return 1; fi
  remove ./.env.fleet-new && ln -s -- "$file" ./.env.fleet-new && mv -fT -- ./.env.fleet-new ./.env && flush .
}
with_url() { awk -v url="$url" '/^APP_URL=/ { if (!said++) print "APP_URL=" url; next } { print } END { if (!said) print "APP_URL=" url }'; }

if [ ! -e "$file" ] && [ ! -L "$file" ]; then
  key=base64:$(head -c 32 /dev/urandom | base64) || refuse failed
  example=/dev/null
  if [ -f ./.env.example ] && [ ! -L ./.env.example ]; then example=./.env.example; fi
  remove "$fresh" || refuse failed
  # Everybody on the Node reads arguments, and only the same user the environment.
  (set -C && with_url <"$example" | KEY=$key awk '/^APP_KEY=/ { if (!said++) print "APP_KEY=" ENVIRON["KEY"]; next } { print } END { if (!said) print "APP_KEY=" ENVIRON["KEY"] }' >"$fresh") &&
    flush "$fresh" || { remove "$fresh"; refuse failed; }
  # Linked into place: a file that appeared meanwhile stays.
  ln -- "$fresh" "$file" && flush_names "$file" || { remove "$fresh"; refuse failed; }
  remove "$fresh" && link_kept || refuse failed
  field answer written
  exit 0
fi
[ -f "$file" ] && [ ! -L "$file" ] || refuse file_unsafe
# read_url PATH: in `found`, without quotes.
read_url() {
  found=$(awk '/^APP_URL=/ { sub(/^APP_URL=/, ""); print; exit }' "$1")
  case $found in '"'*'"') found=${found#?} found=${found%?} ;; "'"*"'") found=${found#?} found=${found%?} ;; esac
}
read_url "$file"
old=$found
[ "$old" != "$url" ] || { link_kept || refuse failed; field answer kept; exit 0; }

# start PATH: what is written has the owner and the mode of the file.
start() { remove "$fresh" && cp -p -- "$1" "$fresh"; }
# finish PATH: it takes the place of the file.
finish() { flush "$fresh" && mv -f -- "$fresh" "$1" && flush_names "$1"; }
# is_untracked NAME: Git of the checkout says that it does not have the file.
is_untracked() {
  GIT_DIR=$root/.git GIT_WORK_TREE=$root GIT_OPTIONAL_LOCKS=0 git -c core.fsmonitor=false ls-files --error-unmatch -- ":(literal)$1" >/dev/null
  [ $? = 1 ]
}
failed() { remove "$fresh"; refuse failed; }

# The cached configuration first: until the file is replaced, it says what the cache may still have. That of a release belongs
# to its deployment.
cache=./bootstrap/cache/config.php
if [ -z "$home" ] && [ -f "$cache" ] && [ ! -L "$cache" ] && [ -n "$old" ]; then
  start "$cache" || failed
  awk -v old="'$old" -v new="'$url" '
    { rest = $0; line = ""
      while ((at = index(rest, old)) > 0) {
        after = substr(rest, at + length(old), 1)
        line = line substr(rest, 1, at - 1) (after == "'\''" || after == "/" ? new : old)
        rest = substr(rest, at + length(old))
      }
      print line rest }' <"$cache" >"$fresh" || failed
  finish "$cache" || failed
fi
# The file for tests that was written beside it, before it for the same reason. What Git has, or may have, is left to the Project (ENV-055).
testing=./.env.testing
if [ -z "$home" ] && [ -f "$testing" ] && [ ! -L "$testing" ] && [ -n "$old" ]; then
  read_url "$testing"
  if [ "$found" = "$old" ] && is_untracked .env.testing; then
    start "$testing" || failed
    with_url <"$testing" >"$fresh" || failed
    finish "$testing" || failed
  fi
fi
start "$file" || failed
with_url <"$file" >"$fresh" || failed
finish "$file" || failed
link_kept || refuse failed
field answer written
