# compare the resolver of the tunnel
# Arguments: after those of tunnel.sh, the resolver. It changes nothing.
keeper=$1 server=$2 domains=$3 default=$4 state=$5 unit_text=$6 other=$7
if foreign; then field files foreign
elif is "$state" "$folder/fleet.dns-link" 600 && is "$unit_text" "$drop_in" 644 && is_other_server "$other"
then field files own
else field files different; fi
if asks; then field points yes; else field points no; fi
if systemctl is-enabled --quiet "$unit"; then field boots yes; else field boots no; fi
if is_silent; then field silent yes; else field silent no; fi
if is_stub; then field stub yes; else field stub no; fi
