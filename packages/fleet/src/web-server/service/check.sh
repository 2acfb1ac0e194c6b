# shellcheck shell=sh
# $1: addresses that the sites bind; $2: folder of the candidate, empty when the file stays as it is.
stage() {
  field stage "$1"
  # More than an error may carry: the gateway cuts it, and says so.
  field message "$(printf '%s' "$2" | head -c 4000)"
  return 1
}
held=$(ip -o address show)
for address in ${1#-}; do
  case $held in
    *" $address/"*) ;;
    *) stage addresses "the Node has no address $address" || return 1 ;;
  esac
done
[ -n "$2" ] || return 0

# A file that Fleet did not build, or that was edited since, is kept.
live=$(readlink -f -- "$root/etc/caddy/Caddyfile")
if [ -f "$live" ]; then
  folder=${live%/Caddyfile}
  version=${folder##*/}
  # Each build that is refused leaves it where it is: one that was kept last is not kept again.
  last=/dev/null
  for kept in "$root"/etc/caddy/fleet-backups/*/Caddyfile; do
    [ ! -f "$kept" ] || last=$kept
  done
  case "${#version} $(digest "$live")" in "32 $version"* | *" $(digest "$last")") true ;; *) false ;; esac || {
    kept=$root/etc/caddy/fleet-backups/$(date -u +%Y%m%dT%H%M%SZ)
    make_folder "$kept" && cp -p -- "$live" "$kept/Caddyfile" && flush "$kept/Caddyfile" &&
      flush_names "$kept/Caddyfile" || stage backup 'the earlier file could not be kept' || return 1
    field kept_file "$kept/Caddyfile"
  }
fi

# shellcheck disable=SC2086
told=$($as_caddy timeout 60 caddy validate --adapter caddyfile --config "$2/Caddyfile" 2>&1 </dev/null) || {
  told=$(printf '%s\n' "$told" | grep -v '"level":"info"')
  # Warnings come before it.
  why=$(printf '%s\n' "$told" | sed -n '/^Error:/,$p')
  stage validate "${why:-$told}"
}
