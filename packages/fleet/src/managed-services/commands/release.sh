# shellcheck shell=sh
# A release is a folder of files that is complete before anything uses it and stays as it is; the ones before it are kept.
release=
candidate=
release_folder() {
  [ -n "$2" ] || return 0
  release=$root$1/$2 candidate=$root$1/.candidate keep=$3
}
# New files have 644 here.
add_piece() { head -c "$2" <&3 >"$candidate/$3" && [ "$(wc -c <"$candidate/$3")" = "$2" ] && { [ "$1" = 644 ] || chmod "$1" "$candidate/$3"; }; }

# A program is large: that of an earlier release costs nothing under another name, when it is the same.
# Unflushed "$candidate/$2": flush_release follows.
add_program() {
  wanted=$(sed -n "s,  $2\$,,p" "$candidate/.manifest")
  for old in "${release%/*}"/*; do
    [ "$(sed -n "s,  $2\$,,p" "$old/.manifest")" = "$wanted" ] && ln -- "$old/$2" "$candidate/$2" && break
  done
  # The earlier one was damaged, perhaps.
  [ "$(digest "$candidate/$2")" = "$wanted" ] ||
    cp --remove-destination --reflink=auto -- "$root$1" "$candidate/$2"
  chmod 755 "$candidate/$2"
}
fill_release() {
  [ -n "$release" ] || return 0
  [ ! -e "$candidate" ] || rm -rf -- "$candidate"
  mkdir -- "$candidate" && chmod 755 "$candidate" && each piece add_piece && each program add_program &&
    (cd "$candidate" && sha256sum --status -c .manifest) &&
    flush_release
}
# Sealed before its name is: what has the name was complete.
flush_release() {
  facts_of "$candidate" >"$candidate/.seal" &&
    flush "$candidate"/* "$candidate/.manifest" "$candidate/.seal" "$candidate"
}
# What is whole already may be running: it stays.
made=
place_release() {
  [ -n "$release" ] || return 0
  if [ -d "$release" ] && whole "$release"; then remove_tree "$candidate"
  else
    [ -e "$release" ] || made=yes
    # Unflushed "$release": the move flushes the folder.
    { [ -n "$made" ] || rm -rf -- "$release"; } && move "$candidate" "$release"
  fi
}
# One that was never used is none to go back to.
withdraw_release() { [ -z "$made" ] || remove_tree "${release:?}"; }
# By the time of their last use.
prune_releases() {
  [ -n "$release" ] || return 0
  touch -- "$release"
  left=$keep
  for old in $(cd "${release%/*}" && ls -1t); do
    if [ "$old" = "${release##*/}" ]; then continue; fi
    left=$((left - 1))
    [ "$left" -ge 0 ] || remove_tree "${release%/*}/${old:?}"
  done
}
