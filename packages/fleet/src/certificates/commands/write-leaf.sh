# publish a certificate
# Arguments: after those of leaf.sh, the bytes of standard input, which is the key with its certificate, and when it is loaded.
bytes=$5 when=$6
fresh=$file.fleet-new
group=$(id -g -- "$owner") || refuse owner_missing
# The folders above are Fleet's own or the service's: one that is missing may be passed through by all.
(umask 022; make_folder "${directory%/*}") && directory 755 "$directory" || refuse write_failed
rm -f -- "$fresh"
(set -C && cat >"$fresh") && [ "$(wc -c <"$fresh")" -eq "$bytes" ] && chown "$owner:$group" "$fresh" &&
  chmod 600 "$fresh" && flush "$fresh" || { remove "$fresh"; refuse write_failed; }
[ -z "$unit" ] || { : >"$pending" && flush "$pending"; } || { remove "$fresh"; refuse write_failed; }
move "$fresh" "$file" || refuse write_failed
if [ -n "$unit" ] && [ "$when" = now ]; then
  systemctl try-reload-or-restart "$unit" || refuse reload_failed
  remove "$pending"
fi
field published yes
