# plan a removal with apt
# Arguments: the package.
field plan "$(apt-get -o DPkg::Lock::Timeout=300 --simulate --no-auto-remove remove -- "$1" </dev/null)"
