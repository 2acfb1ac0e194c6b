# remove a package with apt
# Arguments: the package. Its configuration files stay, and so does everything that was installed for it.
lock_seconds=300
finish_interrupted
# What was planned before may have changed since.
plan_removal "$1" || refuse_unplanned
if plans_essential; then refuse unsafe; fi
planned=$(printf '%s\n' "$planned" | sed -n 's/^\(Remv\|Purg\|Inst\) \([^ ]*\) .*/\2/p')
case $planned in '' | "$1") ;; *) refuse unsafe ;; esac
apt --no-auto-remove remove -- "$1" || why
sync
field removed yes
