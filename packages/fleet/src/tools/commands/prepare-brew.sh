# prepare Homebrew
# Arguments: root folder, managed user. What Homebrew needs is installed, and its prefix belongs to the user.
prefix=$1/home/linuxbrew/.linuxbrew
lock_seconds=300
finish_interrupted
update || why
apt --no-install-recommends --no-remove --fix-broken install -- build-essential procps curl file git ca-certificates || why
if [ -L "$1/home/linuxbrew" ] || [ -L "$prefix" ]; then refuse conflicting; fi
if [ -e "$prefix" ]; then field provisioned yes; exit 0; fi
{ make_folder "$prefix" && chmod 755 "$1/home/linuxbrew" "$prefix" &&
  chown "$2:" "$1/home/linuxbrew" "$prefix" && flush "$prefix"; } || refuse failed
field provisioned yes
