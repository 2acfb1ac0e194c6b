# load certificates
# Arguments: the unit to reload, or nothing where it has loaded them already, then the files that it was not told of.
unit=$1
shift
for file; do
  shift
  # One that is being written is the business of its writer.
  if [ -e "$file.pending" ] && [ ! -e "$file.fleet-new" ]; then set -- "$@" "$file"; fi
done
if [ "$#" -gt 0 ] && [ -n "$unit" ]; then systemctl try-reload-or-restart "$unit" || refuse reload_failed; fi
for file; do remove "$file.pending" || refuse write_failed; done
field loaded yes
