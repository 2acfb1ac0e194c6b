# shellcheck shell=sh
# is_ours ID PATH: a unit file that was written for the Process with this id.
is_ours() { [ -f "$2" ] && [ ! -L "$2" ] && grep -qxF "# fleet.process.id=$1" "$2"; }
