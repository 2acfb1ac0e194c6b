# write the environment file
# Arguments: after those of env-file.sh, the name of the candidate. Standard input: a line with the digests before and after,
# then the content.
candidate=./$1
if command -v sha256sum >/dev/null; then tool=sha256sum
elif command -v shasum >/dev/null; then tool='shasum -a 256'
elif command -v openssl >/dev/null; then tool='openssl dgst -sha256 -r'
else refuse digest_missing; fi
digest() { sum=$($tool) && echo "${sum%% *}"; }
current() {
  if [ -L "$file" ]; then echo link
  elif [ ! -e "$file" ]; then echo missing
  elif [ -f "$file" ] && [ -O "$file" ]; then digest <"$file"
  else echo other; fi
}
read -r before after || refuse content_incomplete
enter
trap 'remove "$candidate"' EXIT
trap 'exit 1' HUP INT PIPE TERM
sweep
# No overwriting: a link planted under the candidate's name is never followed. The mode comes before the content,
# because a default access list of the directory would undo the mask.
problem=$( (set -C && : >"$candidate") 2>&1) || refuse "$(why "$problem" write_failed)"
chmod 600 "$candidate" || refuse write_failed
problem=$(cat 2>&1 >"$candidate") || refuse "$(why "$problem" write_failed)"
[ "$(digest <"$candidate")" = "$after" ] || refuse content_incomplete
flush "$candidate" || refuse write_failed
[ "$(current)" = "$before" ] || refuse file_changed
problem=$(mv -f -- "$candidate" "$file" 2>&1) || refuse "$(why "$problem" write_failed)"
trap - EXIT
flush . || refuse not_flushed
look
[ "$(current)" = "$after" ] && [ "$mode" = private ] || refuse not_confirmed
field written yes
