# ignore environment
# Arguments: after those of checkout.sh, the lines to exclude.
lines=$1
enter
require_proven "./$name"
claim "./$name"
cd "./$name" && locate . || say foreign
info=$shared_git/info
# A link in their place would lead the writing out of the checkout.
[ ! -L "$info" ] && make_folder "$info" && [ ! -L "$info/exclude" ] || say unsafe
known=$(cat "$info/exclude")
# A line of before hid files of others too.
outdated=$(printf '%s\n' "$lines" | head -n 1)'.fleet-*'
kept=$(printf '%s\n' "$known" | grep -vxF -e "$outdated")
missing=$(printf '%s\n' "$lines" | while IFS= read -r line; do
  printf '%s\n' "$kept" | grep -qxF -e "$line" || printf '%s\n' "$line"
done)
[ -n "$missing" ] || [ "$kept" != "$known" ] || say ignored
fresh=$info/exclude.fleet-$preparation
remove "$fresh"
(set -C && { [ -z "$kept" ] || printf '%s\n' "$kept"; [ -z "$missing" ] || printf '%s\n' "$missing"; } >"$fresh") && flush "$fresh" &&
  mv -f -- "$fresh" "$info/exclude" && flush "$info" || say failed
say ignored
