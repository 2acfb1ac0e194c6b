# check an account
# Arguments: its name. Answers that a Process can run as it.
id=$(id -u -- "$1") && [ "$id" != 0 ] || refuse unusable
home=$(getent passwd "$1" | cut -d: -f6)
[ -n "$home" ] && [ -d "$home" ] && [ "$home" != / ] || refuse unusable
field usable yes
