# prepare the machine
# Arguments: the managed user, the line that admits the gateway, the seconds to wait for another package operation, whether a
# user that Fleet did not create may be used (yes or no), then the packages.
DEBIAN_FRONTEND=noninteractive
export DEBIAN_FRONTEND
umask 022
user=$1 key=$2 patience=$3 consent=$4
shift 4
# Only the answer goes where the output of what is called must not.
exec 3>&1 >/dev/null
answer() { field "$1" "$2" >&3; exit 0; }
refuse() { answer refused "$1"; }
outcome=unchanged

# One question for all; what the system brings under another name, or in its kernel, is not asked for.
# The first letter is what is wanted of the package, as held back by the operator of the machine; the second what it is.
installed() { dpkg-query -W -f '${Package}=${db:Status-Abbrev}\n' -- "$@"; }
find_missing() {
  missing=
  present="
$(installed "$@")
"
  for package; do
    case $present in *"
$package="?"i "*) continue ;; esac
    case $package in
      systemd-resolved) [ ! -x /lib/systemd/systemd-resolved ] || continue ;;
      wireguard-go) ! { [ -d /sys/module/wireguard ] || modprobe -q wireguard; } || continue ;;
    esac
    missing="$missing $package"
  done
}

# Unflushed "$log": a temporary file.
log=$(mktemp) || refuse packages-failed
trap 'rm -f -- "$log"' EXIT
apt() {
  apt-get -q -y -o DPkg::Lock::Timeout="$patience" -o Acquire::Retries=2 -o Dpkg::Options::=--force-confdef \
    -o Dpkg::Options::=--force-confold "$@" </dev/null >"$log" 2>&1 3>&-
}
packages_failed() {
  # Of a lock that it waits for apt says the same, without this beginning.
  if grep -qi '^E: \(could not get lock\|unable to acquire.*lock\|unable to lock\)' "$log"; then refuse packages-locked; fi
  if grep -q 'remove is disabled' "$log"; then
    # shellcheck disable=SC2086 # Several words.
    { field would_remove "$(removed_by install -- $missing)"; field wanted "$(printf '%s\n' $missing)"; } >&3
    refuse would_remove
  fi
  refuse packages-failed
}
# Nothing that the machine has is removed for it.
# shellcheck disable=SC2086 # Several words.
install_missing() { apt install --no-install-recommends --no-remove -- $missing; }

command -v dpkg-query && command -v apt-get || refuse unsupported-system
# Whenever it starts it removes the chains of ufw and leaves its policy, and then nobody gets in.
if systemctl is-enabled --quiet firewalld || systemctl is-active --quiet firewalld; then refuse other-firewall; fi
# Whoever logs in as the user becomes root, so one that was here before is not used unasked. The comment is there before
# the rule, after which an attempt may have died.
rule=/etc/sudoers.d/fleet-$user
comment='Managed by Fleet'
account=$(getent passwd "$user")
if [ -n "$account" ] && [ "$consent" != yes ] && [ ! -f "$rule" ] && [ "$(printf %s "$account" | cut -d: -f5)" != "$comment" ]; then
  field user "$user" >&3
  refuse foreign-user
fi
case ${account##*:} in */nologin | */false | */true)
  { field user "$user"; field shell "${account##*:}"; } >&3
  refuse no-login ;;
esac
find_missing "$@"
if [ -n "$missing" ]; then
  outcome=prepared
  # Where systemd-resolved comes new, the machine keeps asking the servers it asked before.
  servers='' search=''
  case "$missing " in *" systemd-resolved "*)
    servers=$(sed -n 's/^nameserver[[:space:]][[:space:]]*//p' /etc/resolv.conf | tr '\n' ' ')
    search=$(sed -n 's/^search[[:space:]][[:space:]]*//p' /etc/resolv.conf | tr '\n' ' ') ;;
  esac
  # A machine that died in the middle of an installation is set right first.
  [ -z "$(dpkg --audit)" ] || dpkg --configure -a </dev/null >"$log" 2>&1 3>&- || packages_failed
  # The lists of a new machine are often empty or old.
  install_missing || { ! grep -q 'remove is disabled' "$log" && apt update && install_missing; } || packages_failed
  find_missing "$@"
  [ -z "$missing" ] || refuse packages-failed
  if [ -n "$servers" ]; then
    make_folder /etc/systemd/resolved.conf.d
    drop=/etc/systemd/resolved.conf.d/fleet-machine-dns.conf
    printf '[Resolve]\nDNS=%s\nDomains=%s\n' "$servers" "$search" >"$drop.new" && flush "$drop.new" &&
      move "$drop.new" "$drop" && systemctl restart systemd-resolved || refuse packages-failed
  fi
fi

if ! id -u -- "$user"; then
  outcome=prepared
  if getent group "$user"; then set -- -N -g "$user"; else set -- --user-group; fi
  # No password, but not locked either: sshd refuses keys of a locked account where PAM is off.
  useradd --create-home --shell /bin/bash --comment "$comment" --password '*' "$@" -- "$user" || refuse user-failed
fi
[ "$(id -u -- "$user")" != 0 ] || refuse user-failed
home=$(getent passwd "$user" | cut -d: -f6)
group=$(id -gn -- "$user")
case $home in /?*) ;; *) refuse user-failed ;; esac
[ -d "$home" ] || install -d -o "$user" -g "$group" -m 0755 -- "$home" || refuse user-failed

# As the user itself: what its home links to is then its own business.
# shellcheck disable=SC2016 # The inner shell expands them.
admitted=$(runuser -u "$user" -- sh -c '
  umask 077
  cd -- "$1" || exit 1
  [ -d .ssh ] || mkdir .ssh || exit 1
  file=.ssh/authorized_keys
  if [ -f "$file" ] && grep -qxF -- "$2" "$file"; then echo known; exit 0; fi
  { [ ! -f "$file" ] || sed -e "\$a\\" "$file"; printf "%s\n" "$2"; } >"$file.fleet" && chmod 600 "$file.fleet" &&
    sync "$file.fleet" && mv -f -- "$file.fleet" "$file" && sync .ssh && echo added
' fleet "$home" "$key") || {
  path=$home
  [ ! -e "$home/.ssh" ] || path=$home/.ssh
  ! runuser -u "$user" -- test -w "$home/.ssh" || path=$home/.ssh/authorized_keys
  { field user "$user"; field path "$path"; } >&3
  refuse key-failed
}
[ "$admitted" = known ] || outcome=prepared

# A name with a dot is read by nobody, so the file counts only once it has been tried and renamed.
fresh=$rule.new
[ -d /etc/sudoers.d ] || { mkdir -m 0750 /etc/sudoers.d && flush_names /etc/sudoers.d; } || refuse sudo-failed
printf '%s ALL=(ALL:ALL) NOPASSWD: ALL\n' "$user" >"$fresh" && chmod 0440 "$fresh" || refuse sudo-failed
if cmp -s -- "$fresh" "$rule"; then
  remove "$fresh"
else
  outcome=prepared
  visudo -cqf "$fresh" && flush "$fresh" && move "$fresh" "$rule" ||
    { remove "$fresh"; refuse sudo-failed; }
fi
answer outcome "$outcome"
