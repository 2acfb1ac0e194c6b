# copy checkout
# Arguments: after those of checkout.sh, the checkout to copy, the id of its preparation, the digest of its heads, the path of its
# `.env`, the patterns of its candidates.
source=$1 theirs=$2 heads_then=$3 own=$4 candidates=$5
problem=$(mkdir -p -- "$root" 2>&1) || blame root-unusable "$problem" "$root"
[ -w "$root" ] && cd -P -- "$root" || say root-unusable
command -v git >/dev/null || say git-missing
# Where the clean-up of this attempt was cut off.
quarantine=./.fleet-removal-$preparation

copied() {
  read -r mode _ <"./$name/$receipts/copied" || say failed
  flush_storage . || blame failed '' .
  field mode "$mode"
  say copied
}
is_source() { (preparation=$theirs && proven "$source"); }

begin() {
  erase "$work"
  exists "$work" && say occupied
  mkdir -- "$work" "$work/.git" && mark "$work" || { erase "$work"; blame failed '' .; }
}

# Programs of the source may remove their caches meanwhile. What Git needs is complete, or there is no copy.
gone='No such file or directory$'
take() {
  problem=$(find "$source" -mindepth 1 -maxdepth 1 ! -name .git -exec cp -a "--reflink=$1" -t "$work" -- {} + 2>&1)
  problem=$(printf '%s\n' "$problem" | grep -v -e "$gone" -e '^$')
  [ -z "$problem" ] || return 1
  problem=$(find "$source/.git" -mindepth 1 -maxdepth 1 ! -name "$receipt" ! -name worktrees -exec cp -a "--reflink=$1" -t "$work/.git" -- {} + 2>&1) || return 1
  problem=$(chmod --reference="$source/.git" -- "$work/.git" && chmod --reference="$source" -- "$work" 2>&1)
}
as_examined() (
  cd "$work" && tame && [ "$(heads)" = "$heads_then" ] && [ "$(cleanliness "$own")" = clean ]
)

make_project_folder
enter
if exists "./$name"; then proven "./$name" && copied; say occupied; fi
if exists "$quarantine"; then erase "$quarantine" || say occupied; fi
is_source || say changed
begin
mode=reflink
take always || { mode=full; begin; take never; } || {
  erase "$work"
  case $problem in *"$source/.git/"*'No such file or directory'*) say changed ;; esac
  blame failed "$problem" .
}
as_examined || { erase "$work"; say changed; }
printf '%s %s\n' "$mode" "$(cd "$work" && tame && g rev-parse HEAD)" >"$work/$receipts/copied" && flush_storage . || { erase "$work"; blame failed '' .; }
settle "$work" "./$name" || { erase "$work"; say occupied; }
copied
