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
  rm -f -- "$fresh" || refuse failed
  (set -C && with_url <"$example" | awk -v key="$key" '/^APP_KEY=/ { if (!said++) print "APP_KEY=" key; next } { print } END { if (!said) print "APP_KEY=" key }' >"$fresh") &&
    flush "$fresh" || { rm -f -- "$fresh"; refuse failed; }
  # Linked into place: a file that appeared meanwhile stays.
  ln -- "$fresh" ./.env && flush . || { rm -f -- "$fresh"; refuse failed; }
  remove "$fresh" || refuse failed
  field answer written
  exit 0
fi
[ -f ./.env ] && [ ! -L ./.env ] || refuse file_unsafe
old=$(awk '/^APP_URL=/ { sub(/^APP_URL=/, ""); print; exit }' ./.env)
case $old in '"'*'"') old=${old#?} old=${old%?} ;; "'"*"'") old=${old#?} old=${old%?} ;; esac
[ "$old" != "$url" ] || { field answer kept; exit 0; }

# replace PATH: standard input becomes the file, with its owner and its mode.
replace() {
  rm -f -- "$fresh" && cp -p -- "$1" "$fresh" && cat >"$fresh" && flush "$fresh" && mv -f -- "$fresh" "$1" && flush_names "$1" && return 0
  rm -f -- "$fresh"
  return 1
}
# The cached configuration first: until the file is replaced, it says what the cache may still have.
cache=./bootstrap/cache/config.php
if [ -f "$cache" ] && [ ! -L "$cache" ] && [ -n "$old" ]; then
  awk -v old="'$old" -v new="'$url" '
    { rest = $0; line = ""
      while ((at = index(rest, old)) > 0) {
        after = substr(rest, at + length(old), 1)
        line = line substr(rest, 1, at - 1) (after == "'\''" || after == "/" ? new : old)
        rest = substr(rest, at + length(old))
      }
      print line rest }' <"$cache" | replace "$cache" || refuse failed
fi
with_url <./.env | replace ./.env || refuse failed
field answer written
