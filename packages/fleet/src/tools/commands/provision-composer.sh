# provision Composer
# Arguments: root folder, managed user. What it needs is installed where it is missing, and its home belongs to the user.
home=$1/opt/orbit/composer
if ! command -v composer >/dev/null || ! command -v git >/dev/null || ! command -v unzip >/dev/null; then
  lock_seconds=300
  finish_interrupted
  update || why
  apt --no-install-recommends --no-remove --fix-broken install -- composer git unzip || why
fi
if [ -L "$home" ]; then refuse conflicting; fi
{ make_folder "$home" && chmod 755 "$1/opt/orbit" "$home" && chown "$2:" "$home" && flush "$home"; } || refuse failed
field provisioned yes
