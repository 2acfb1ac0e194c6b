# shellcheck shell=sh
if runs; then field running yes; else field running no; fi
if boots; then field boots yes; else field boots no; fi
field catalog "$(digest "$catalog")"
for unit in $names; do
  if ! systemctl -q is-active "$unit"; then
    unit_report "$unit"
    break
  fi
done
# Whom the backend asks for other names, and the files from which that follows.
conf=$(sed -n 's/^ExecStart=.* --conf-file=//p' "$root/etc/systemd/system/fleet-dnsmasq.service")
field servers "$(sed -n 's/^server=//p' "$root$conf")"
resolver_files
field loaded "$(head -c 64 "$catalog.loaded")"
field end yes
