# shellcheck shell=sh
# $1: id and unit of the Process. Nothing may have the name of the unit but the unit of this Process.
path=$root/etc/systemd/system/${1#* }
if [ ! -e "$path" ] && [ ! -L "$path" ]; then exit 0; fi
is_ours "${1%% *}" "$path"
