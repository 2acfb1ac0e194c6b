# set application URL
# Arguments: the checkout, the application directory below it or nothing, the URL.
checkout=$1 directory=$2 url=$3
cd -P -- "$checkout" || refuse checkout_missing
root=$(pwd -P)
cd -P -- "./$directory" || { field answer unsupported; exit 0; }
# A link on the way leads to an application of somebody else.
case $directory in '') expected=$root ;; *) expected=$root/$directory ;; esac
[ "$(pwd -P)" = "$expected" ] || refuse directory_unsafe
# Without its console entry it is no application of the framework, and its files belong to nobody here.
[ -f ./artisan ] && [ ! -L ./artisan ] || { field answer unsupported; exit 0; }
fresh=./.env.fleet-url
with_url() { awk -v url="$url" '/^APP_URL=/ { if (!said++) print "APP_URL=" url; next } { print } END { if (!said) print "APP_URL=" url }'; }

if [ ! -e ./.env ] && [ ! -L ./.env ]; then
  key=base64:$(head -c 32 /dev/urandom | base64) || refuse failed
  example=/dev/null
  if [ -f ./.env.example ] && [ ! -L ./.env.example ]; then example=./.env.example; fi
  remove "$fresh" || refuse failed
  (set -C && with_url <"$example" | awk -v key="$key" '/^APP_KEY=/ { if (!said++) print "APP_KEY=" key; next } { print } END { if (!said) print "APP_KEY=" key }' >"$fresh") &&
    flush "$fresh" || { remove "$fresh"; refuse failed; }
  # Linked into place: a file that appeared meanwhile stays.
  ln -- "$fresh" ./.env && flush . || { remove "$fresh"; refuse failed; }
  remove "$fresh" || refuse failed
  field answer written
  exit 0
fi
[ -f ./.env ] && [ ! -L ./.env ] || refuse file_unsafe
old=$(awk '/^APP_URL=/ { sub(/^APP_URL=/, ""); print; exit }' ./.env)
case $old in '"'*'"') old=${old#?} old=${old%?} ;; "'"*"'") old=${old#?} old=${old%?} ;; esac
[ "$old" != "$url" ] || { field answer kept; exit 0; }

# start PATH: what is written has the owner and the mode of the file.
start() { remove "$fresh" && cp -p -- "$1" "$fresh"; }
# finish PATH: it takes the place of the file.
finish() { flush "$fresh" && mv -f -- "$fresh" "$1" && flush_names "$1"; }
failed() { remove "$fresh"; refuse failed; }

# The cached configuration first: until the file is replaced, it says what the cache may still have.
cache=./bootstrap/cache/config.php
if [ -f "$cache" ] && [ ! -L "$cache" ] && [ -n "$old" ]; then
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
start ./.env || failed
with_url <./.env >"$fresh" || failed
finish ./.env || failed
field answer written
