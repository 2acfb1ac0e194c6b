# How $source gets to another file system.
# A hard link tells whether a rename can do it: mv would copy instead, and nobody would have compared.
is_near() {
  # Unflushed "$near": it is removed again at once.
  near=./.fleet-near-$preparation
  rm -f -- "$near"
  file=$source/.git
  [ -f "$file" ] || file=$source/.git/$receipt/preparation
  ln -- "$file" "$near" || return 1
  rm -f -- "$near"
}

# Everything but the receipts, whose own name the copy has already.
copy() {
  mkdir -- "$work" || return 1
  locate "$source"
  theirs=$own_git
  if [ -d "$source/.git" ]; then mkdir -- "$work/.git"; else link_copy; fi && mark "$work" || return 1
  mine=$own_git
  find "$source" -mindepth 1 -maxdepth 1 ! -name .git -exec cp -a --reflink=auto -t "$work" -- {} + &&
    find "$theirs" -mindepth 1 -maxdepth 1 ! -name "$receipt" ! -name gitdir ! -name locked -exec cp -a --reflink=auto -t "$mine" -- {} + &&
    chmod --reference="$theirs" -- "$mine" && chmod --reference="$source" -- "$work"
}

# A folder for the copy in the repository, by the name of which `erase_link` knows it.
link_copy() {
  mine=${theirs%/*}/$preparation
  printf 'gitdir: %s\n' "$mine" >"$work/.git" && mkdir -- "$mine" && echo fleet >"$mine/locked" &&
    printf '%s/.git\n' "$(cd -P -- "$work" && pwd -P)" >"$mine/gitdir"
}

# Names, kinds, modes, links and contents below a directory, in one digest.
content() {
  locate "$1" || return 1
  {
    if [ -d "$1/.git" ]; then (cd "$1" && listed -path "./.git/$receipt")
    else (cd "$1" && listed -path ./.git) && (cd "$own_git" && listed -path "./$receipt" -o -path ./gitdir -o -path ./locked); fi
  } | LC_ALL=C sort | sha256sum
}
listed() {
  find . \( "$@" \) -prune -o -printf '%y %m %P %l\n' && find . \( "$@" \) -prune -o -type f -exec sha256sum -- {} +
}
