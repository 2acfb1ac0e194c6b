# shellcheck shell=sh
if runs; then field running yes; else field running no; fi
field catalog "$(digest "$catalog")"
field loaded "$(head -c 64 "$catalog.loaded")"
