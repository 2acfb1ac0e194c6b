# inspect the public sites of an ingress
# Arguments: the root folder, then the domains.
root=$1
shift
print_sites "$root"
# The newest of a domain: each authority has a folder of its own.
at=0
for domain; do
  # shellcheck disable=SC2012 # No name of an authority or a domain has a line break.
  newest=$(ls -t -- "$root/var/lib/caddy/.local/share/caddy/certificates"/*/"$domain/$domain.crt" 2>/dev/null | head -n 1)
  if [ -n "$newest" ]; then field "certificate.$at" "$(head -c 65536 "$newest")"
  else field "certificate.$at" ''; fi
  at=$((at + 1))
done
field end yes
