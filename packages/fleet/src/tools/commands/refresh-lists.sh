# refresh the package lists
update || why
sync
field refreshed yes
