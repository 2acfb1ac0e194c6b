# trust the fleet root
# Arguments: after those of trust.sh, the SHA-256 of standard input, which is the certificate.
wanted=$2
umask 022
# The third line of a certificate is part of its serial number, names or key: no other one has it.
held() {
  [ "$(sound 644 "$file")" = "$wanted" ] && [ "$(sha256sum <"$link" | cut -c 1-64)" = "$wanted" ] &&
    grep -qxF -- "$(sed -n 3p "$file")" "$bundle"
}
if held; then field trusted unchanged; exit; fi
command -v update-ca-certificates >/dev/null || refuse store_missing
make_folder "${file%/*}" && put 644 "$file" || refuse trust_failed
update-ca-certificates >/dev/null </dev/null && flush "$bundle" && flush_names "$bundle" && held || refuse trust_failed
field trusted installed
