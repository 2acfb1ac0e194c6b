# remove a package with apt
# Arguments: the package. Its configuration files stay, and so does everything that was installed for it.
lock_seconds=300
finish_interrupted
planned=$(apt-get -o DPkg::Lock::Timeout=300 --simulate --no-auto-remove remove -- "$1" </dev/null |
  sed -n 's/^\(Remv\|Purg\|Inst\) \([^ ]*\) .*/\2/p')
# What was planned before may have changed since.
case $planned in '' | "$1") ;; *) refuse unsafe ;; esac
apt --no-auto-remove remove -- "$1" || why
sync
field removed yes
