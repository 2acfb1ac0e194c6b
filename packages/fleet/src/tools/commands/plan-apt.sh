# plan a removal with apt
# Arguments: the package.
simulate() { plan=$(apt-get -o DPkg::Lock::Timeout=300 --simulate --no-auto-remove remove -- "$1" </dev/null); }
# apt plans nothing for a machine that lost its power in the middle.
simulate "$1" || { finish_interrupted && simulate "$1"; } || refuse package_needed
case $plan in *'essential packages will be removed'*) refuse package_essential ;; esac
field plan "$plan"
