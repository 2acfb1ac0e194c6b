# Processes of a step that left its process group. $preparation names the checkout.
step_unit=fleet-step-$preparation.scope

# Ends them by the step's control group, where systemd gave it one, and by the mark in their environment, where /proc shows
# it. A process that forks while it is looked for is found the next time.
end_strays() {
  end_control_group "$step_unit"
  for turn in 1 2 3 4 5 6 7 8 9 10; do
    # Its status counts the processes that ended meanwhile, or are somebody else's, as failures.
    strays=$(grep -lsxzF "FLEET_STEP=$preparation" /proc/[0-9]*/environ)
    [ -n "$strays" ] || return 0
    for stray in $strays; do
      stray=${stray%/environ}
      kill -s KILL "${stray#/proc/}"
    done
    # They still show until the system has ended them.
    [ "$turn" = 1 ] || sleep 0.1 || sleep 1
  done
}
