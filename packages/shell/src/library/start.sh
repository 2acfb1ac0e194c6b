# How a script starts: one language, no surprises of the caller's environment, nothing on standard error. It answers in
# fields: `refused REASON`, or what it was asked for; an exit status other than 0 means that the script itself broke.
set -u
LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export LC_ALL PATH
unset CDPATH
umask 077
exec 2>/dev/null

# refuse REASON: where something failed, with the file systems that have no room left.
refuse() {
  field refused "$1"
  name_full "$1"
  exit 0
}

# name_full REASON: where something failed, mount points with less than a MiB or no inode left, in the field `full`; no field where
# there are none.
name_full() {
  case $1 in *failed) ;; *) return ;; esac
  set -- / /etc /home /opt /srv /tmp /var
  full=$({ timeout 2 df -Pk -- "$@" | with_less 1024; timeout 2 df -Pi -- "$@" | with_less 1; } | sort -u)
  [ -z "$full" ] || field full "$full"
}
# A device that is mounted at several of them is named once.
with_less() {
  awk -v least="$1" '$2 > 0 && $4 ~ /^[0-9]+$/ && $4 + 0 < least && !($1 ~ /^\// && seen[$1]++) { print $6 }'
}
