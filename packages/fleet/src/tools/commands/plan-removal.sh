# shellcheck shell=sh
# What a removal would do, in `planned`, with what apt says; fails where apt plans nothing.
plan_removal() {
  planned=$(apt-get -o DPkg::Lock::Timeout=300 --simulate --no-auto-remove remove -- "$1" 2>&1 </dev/null)
}
refuse_unplanned() {
  case $planned in
    *'Resolve generated breaks'* | *'Unable to correct problems'*) refuse package_needed ;;
    *'Unmet dependencies'*) refuse packages_broken ;;
    *) refuse unplanned ;;
  esac
}
plans_essential() { case $planned in *'essential packages will be removed'*) ;; *) return 1 ;; esac }
