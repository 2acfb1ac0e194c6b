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
field loaded "$(head -c 64 "$catalog.loaded")"
field end yes
