# make home
# Arguments: the Unix user, its home, the id of the preparation that it belongs to, the group that may pass through the home.
user=$1 home=$2 preparation=$3 group=$4
mark="Fleet $preparation"
umask 077
# The comment of the account proves whose it is from the moment in which it exists.
if entry=$(getent passwd "$user"); then
  [ "$(echo "$entry" | cut -d: -f5,6)" = "$mark:$home" ] || refuse taken
else
  if [ -e "$home" ] || [ -L "$home" ] || getent group "$user" >/dev/null; then refuse taken; fi
  useradd -M -U -d "$home" -s /usr/sbin/nologin -c "$mark" -- "$user" || refuse failed
fi
[ ! -L "$home" ] && make_folder "$home" || refuse taken
getent group "$group" >/dev/null || group=$user
chown -- "$user:$group" "$home" && chmod 710 -- "$home" && flush "$home" || refuse failed
field ready yes
