# read a package of Vite+
# Arguments: the package, `yes` to ask what is offered.
list=$(vp list -g --json) || refuse unreadable
field list "$list"
below=no
for place in "$VP_HOME"/packages/*/*/lib/node_modules/*/node_modules/"$1" \
  "$VP_HOME"/packages/@*/*/*/lib/node_modules/@*/*/node_modules/"$1"; do
  if [ -d "$place" ]; then below=yes; fi
done
field below "$below"
offered=
if [ "$2" = yes ]; then offered=$(vp info "$1" version --json) || offered=; fi
field offered "$offered"
field end yes
