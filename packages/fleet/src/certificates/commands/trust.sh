# Arguments of every script on the system's trust store: the root folder of the machine, empty but in tests.
root=$1
file=$root/usr/local/share/ca-certificates/fleet-gateway.crt
link=$root/etc/ssl/certs/fleet-gateway.pem
bundle=$root/etc/ssl/certs/ca-certificates.crt
# True when all three have the root with the SHA-256 $1.
# The third line of a certificate is part of its serial number, names or key: no other one has it.
held() {
  [ "$(sound 644 "$file")" = "$1" ] && [ "$(sha256sum <"$link" | cut -c 1-64)" = "$1" ] &&
    grep -qxF -- "$(sed -n 3p "$file")" "$bundle"
}
