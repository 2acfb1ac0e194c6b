# publish certificates
# Arguments: of each its folder, the name of its file, who reads it, the unit to reload or nothing, when that is, and how many bytes
# of standard input it is: the key with its certificate.
while [ "$#" -gt 0 ]; do
  directory=$1 file=$1/$2 owner=$3 unit=$4 when=$5 bytes=$6
  shift 6
  fresh=$file.fleet-new
  # Beside a file that its reader has not been told of yet.
  pending=$file.pending
  group=$(id -g -- "$owner") || refuse owner_missing
  # The folders above are Fleet's own or the service's: one that is missing may be passed through by all.
  (umask 022; make_folder "${directory%/*}") && directory 755 "$directory" || refuse write_failed
  rm -f -- "$fresh"
  (set -C && dd bs="$bytes" count=1 iflag=fullblock status=none >"$fresh") && [ "$(wc -c <"$fresh")" -eq "$bytes" ] &&
    chown "$owner:$group" "$fresh" && chmod 600 "$fresh" && flush "$fresh" || { remove "$fresh"; refuse write_failed; }
  [ -z "$unit" ] || { : >"$pending" && flush "$pending"; } || { remove "$fresh"; refuse write_failed; }
  move "$fresh" "$file" || refuse write_failed
  if [ -n "$unit" ] && [ "$when" = now ]; then
    systemctl try-reload-or-restart "$unit" || refuse reload_failed
    remove "$pending"
  fi
done
field published yes
