# ignore environment
# Arguments: after those of checkout.sh, the lines to exclude.
lines=$1
enter
proven "./$name" || say foreign
claim "./$name"
cd "./$name" && locate . || say foreign
info=$shared_git/info
# A link in their place would lead the writing out of the checkout.
[ ! -L "$info" ] && make_folder "$info" && [ ! -L "$info/exclude" ] || say unsafe
known=$(cat "$info/exclude")
printf '%s\n' "$lines" | while IFS= read -r line; do
  printf '%s\n' "$known" | grep -qxF -e "$line" || echo missing
done | grep -q missing || say ignored
fresh=$info/exclude.fleet-$preparation
remove "$fresh"
(set -C && { [ -z "$known" ] || printf '%s\n' "$known"; printf '%s\n' "$lines"; } >"$fresh") && flush "$fresh" &&
  mv -f -- "$fresh" "$info/exclude" && flush "$info" || say failed
say ignored
