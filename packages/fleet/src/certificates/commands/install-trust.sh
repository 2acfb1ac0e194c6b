# trust the fleet root
# Arguments: after those of trust.sh, the SHA-256 of standard input, which is the certificate.
wanted=$2
umask 022
if held "$wanted"; then field trusted unchanged; exit; fi
command -v update-ca-certificates >/dev/null || refuse store_missing
make_folder "${file%/*}" && put 644 "$file" || refuse trust_failed
update-ca-certificates >/dev/null </dev/null && flush "$bundle" && flush_names "$bundle" && held "$wanted" || refuse trust_failed
field trusted installed
