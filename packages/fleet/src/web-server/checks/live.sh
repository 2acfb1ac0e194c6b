# Which Caddy there is, and which build its live file is: the version of what is in it, `foreign` where it is none of Fleet's,
# `none`, or `building` while somebody builds. Arguments: the root folder, the lock of builds, the seconds that a
# build is waited for, the seconds in which a file is read.
root=$1 lock=$1$2 wait=$3 limit=$4
version_of_live() {
  live=$(readlink -f -- "$root/etc/caddy/Caddyfile") && [ -f "$live" ] || { printf none; return; }
  case $live in
    "$(readlink -f -- "$root/etc/caddy")"/fleet-versions/*/Caddyfile) ;;
    *) printf foreign; return ;;
  esac
  sum=$(timeout "$limit" sha256sum <"$live") && printf %.32s "$sum"
}
# Shared, and until this question ends: what is read belongs to one build.
idle() { [ ! -f "$lock" ] || { exec 9<"$lock" && flock -s -w "$wait" 9; }; }
if idle; then found=$(version_of_live) || exit 1; else found=building; fi
field caddy "$(timeout 5 caddy version </dev/null | head -n 1)"
field live "$found"
