# return source
# Arguments: after those of checkout.sh, the directory that was adopted, the application directory.
source=$1 directory=$2
# What is nowhere may be on a disk that is not mounted; a checkout where it was says that it never went, or is back.
is_back() { [ -d "$source" ] && [ ! -L "$source" ] && exists "$source/.git"; }
unseen() {
  is_back || say "$1"
  unmark "$source" || say failed
  say returned
}
cd -P -- "$root" || unseen root-missing
exists "./$folder" || unseen folder-missing
enter
erase "$work"
here=$(pwd -P)
if exists "./$name" && proven "./$name"; then
  claim "./$name"
  if [ "$source" = "$here/$name" ]; then :
  elif [ -f "$marks/copied" ] && proven "$source"; then
    # It was copied, and is where it was: its own receipt says so.
    settle "./$name" "./.fleet-removal-$preparation" || say failed
  elif exists "$source"; then
    # Somebody else's: what was moved is the only one.
    say occupied
  else
    settle "./$name" "$source" || say failed
    flush_names "./$name"
  fi
elif ! is_back; then
  if exists "./$name"; then say foreign; else say absent; fi
fi
# Until its receipt is gone: an earlier return may have ended before this.
if [ "$source" != "$here/$name" ] && proven "$source"; then
  repair "$source" "$here/$name" || say failed
  (cd "$source" && tame && rehome "${root%/}/$folder/$name" "$source" "$directory") || say failed
fi
erase "./.fleet-removal-$preparation" || say failed
unmark "$source" || say failed
cd -P -- "$root" && rmdir -- "./$folder"
flush_storage .
say returned
