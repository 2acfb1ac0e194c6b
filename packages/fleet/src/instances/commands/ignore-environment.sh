# ignore environment
# Arguments: after those of checkout.sh, the lines to exclude.
lines=$1
enter
proven "./$name" || say foreign
claim "./$name"
cd "./$name" || say foreign
# A link in their place would lead the writing out of the checkout.
[ ! -L .git/info ] && make_folder .git/info && [ ! -L .git/info/exclude ] || say unsafe
known=$(cat .git/info/exclude)
printf '%s\n' "$lines" | while IFS= read -r line; do
  printf '%s\n' "$known" | grep -qxF -e "$line" || echo missing
done | grep -q missing || say ignored
fresh=.git/info/exclude.fleet-$preparation
remove "$fresh"
(set -C && { [ -z "$known" ] || printf '%s\n' "$known"; printf '%s\n' "$lines"; } >"$fresh") && flush "$fresh" &&
  mv -f -- "$fresh" .git/info/exclude && flush .git/info || say failed
say ignored
