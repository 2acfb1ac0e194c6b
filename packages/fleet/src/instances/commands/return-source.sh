# return source
# Arguments: after those of checkout.sh, the directory that was adopted.
source=$1
cd -P -- "$root" && exists "./$folder" || { unmark "$source"; say returned; }
enter
erase "$work"
if exists "./$name" && proven "./$name"; then
  claim "./$name"
  if [ "$source" != "$(pwd -P)/$name" ]; then
    if exists "$source"; then
      # It was copied, and is where it was.
      repair "$source" "$(pwd -P)/$name"
      settle "./$name" "./.fleet-removal-$preparation" || say failed
    else
      settle "./$name" "$source" || say failed
      flush_names "./$name"
      repair "$source" "$(pwd -P)/$name" || say failed
    fi
  fi
fi
erase "./.fleet-removal-$preparation" || say failed
unmark "$source" || say failed
cd -P -- "$root" && rmdir -- "./$folder"
flush_storage .
say returned
