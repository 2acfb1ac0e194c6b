# delete source
# Arguments: after those of checkout.sh, the digest of what was copied, and the path of a database that was carried by itself, or
# nothing. Deletes the checkout unless somebody has changed it since.
copied=$1
leave_out "$2"
quarantine=./.fleet-removal-$preparation
cd -P -- "$root" || say root-missing
exists "./$folder" || say deleted
enter
if exists "$quarantine"; then erase "$quarantine" || say failed; fi
if exists "./$name"; then
  proven "./$name" || say foreign
  claim "./$name"
  [ "$(content "./$name")" = "$copied" ] || say changed
  settle "./$name" "$quarantine" || say failed
  erase "$quarantine" || say failed
fi
cd -P -- "$root" && rmdir -- "./$folder"
flush_storage .
say deleted
