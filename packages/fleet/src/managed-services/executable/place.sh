# shellcheck shell=sh
directory=$1 link=$2 sha256=$3 bytes=$4
umask 022
directory 755 "$directory" || refuse configuration_failed
# Two uploads at once would use the same candidate.
exec 9>"$directory/.lock" && flock -w 120 9 || refuse configuration_failed
candidate=$directory/.fleet-candidate
# Unflushed "$candidate": the next upload removes what comes back.
rm -f -- "$candidate"
remove "$directory/.seal"
free=$(df -Pk -- "$directory" | awk 'NR == 2 { print $4 }')
[ "${free:-0}" -ge "$((bytes / 1024))" ] || refuse disk_full
trap 'rm -f -- "$candidate"' EXIT
trap 'exit 1' HUP INT PIPE TERM
(set -C && gzip -dc >"$candidate")
[ "$(digest "$candidate")" = "$sha256" ] || refuse checksum_mismatch
chmod 755 "$candidate" && flush "$candidate" || refuse configuration_failed
# A program for another C library or machine fails here, not when the agent starts.
HOME=/nonexistent timeout 30 "$candidate" --version </dev/null >/dev/null || refuse candidate_invalid
move "$candidate" "$directory/fleet" || refuse configuration_failed
trap - EXIT
# Nobody but root could have written it since it was hashed.
seal_executable "$sha256" "$(facts "$directory/fleet")"
link_command
executable_state
