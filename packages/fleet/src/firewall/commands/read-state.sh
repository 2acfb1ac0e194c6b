# read the firewall
show_state
field end yes
