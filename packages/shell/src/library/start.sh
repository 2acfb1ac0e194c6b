# How a script starts: one language, no surprises of the caller's environment, nothing on standard error. It answers in
# fields: `refused REASON` alone, or what it was asked for; an exit status other than 0 means that the script itself broke.
set -u
LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
export LC_ALL PATH
unset CDPATH
umask 077
exec 2>/dev/null

refuse() { field refused "$1"; exit 0; }
