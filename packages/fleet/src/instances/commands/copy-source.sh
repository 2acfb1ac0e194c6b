# How $source gets to another file system.
# A hard link tells whether a rename can do it: mv would copy instead, and nobody would have compared.
is_near() {
  # Unflushed "$near": it is removed again at once.
  near=./.fleet-near-$preparation
  rm -f -- "$near"
  ln -- "$source/$receipts/preparation" "$near" || return 1
  rm -f -- "$near"
}

# Everything but the receipts, whose own name the copy has already.
copy() {
  mkdir -- "$work" "$work/.git" && mark "$work" || return 1
  find "$source" ! -path "$source" -prune ! -name .git -exec cp -a --reflink=auto -t "$work" -- {} + &&
    find "$source/.git" ! -path "$source/.git" -prune ! -name "$receipt" -exec cp -a --reflink=auto -t "$work/.git" -- {} + &&
    chmod --reference="$source/.git" -- "$work/.git" && chmod --reference="$source" -- "$work"
}

# Names, kinds, modes, links and contents below a directory, in one digest.
content() {
  (cd "$1" && {
    find . -path "./.git/$receipt" -prune -o -printf '%y %m %P %l\n' &&
      find . -path "./.git/$receipt" -prune -o -type f -exec sha256sum -- {} +
  } | LC_ALL=C sort | sha256sum)
}
