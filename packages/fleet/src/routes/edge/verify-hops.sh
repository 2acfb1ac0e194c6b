# verify the servers of a domain
# Arguments: the file of the fleet's root, the domain, and the addresses of its servers.
root=$1 domain=$2
shift 2
failed=
for address; do
  case $address in *:*) place=[$address]:443 ;; *) place=$address:443 ;; esac
  timeout 10 openssl s_client -connect "$place" -servername "$domain" -verify_hostname "$domain" \
    -verify_return_error -CAfile "$root" >/dev/null 2>&1 </dev/null || { failed=$address; break; }
done
field failed "$failed"
