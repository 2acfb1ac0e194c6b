# compare who may call the gateway
# Arguments: after that of callers.sh, address and port of the gateway, accounts separated by spaces. It changes nothing.
address=$1 port=$2 names=$3
read_accounts
now=$(live)
if [ -n "$now" ]; then field limited yes; else field limited no; fi
if limits "$now"; then field exact yes; else field exact no; fi
field unknown "${unknown% }"
if [ -e "$file" ] && systemctl is-enabled --quiet "$unit"; then field boots yes; else field boots no; fi
