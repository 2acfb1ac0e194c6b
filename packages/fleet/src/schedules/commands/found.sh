# find what Schedules have on a Node
# Arguments: root folder. Answers the ids in the names of their files that have their marker.
root=$1
ids() {
  for path in "$root"/etc/fleet/schedules/*.sh "$root"/etc/systemd/system/fleet-schedule-*.service \
    "$root"/etc/systemd/system/fleet-schedule-*.timer; do
    id=${path##*/}
    id=${id#fleet-schedule-}
    id=${id%.*}
    if is_ours "fleet.schedule.id=$id" "$path"; then printf '%s\n' "$id"; fi
  done
}
field found "$(ids | sort -u)"
field end yes
