# verify the servers of a domain
# Arguments: the file of the fleet's root, the domain, and its servers, each as address:port.
root=$1 domain=$2
shift 2
failed=
for server; do
  timeout 10 openssl s_client -connect "$server" -servername "$domain" -verify_hostname "$domain" \
    -verify_return_error -CAfile "$root" >/dev/null 2>&1 </dev/null || { failed=$server; break; }
done
field failed "$failed"
