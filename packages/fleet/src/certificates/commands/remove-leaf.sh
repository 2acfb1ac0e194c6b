# withdraw a certificate
# shellcheck disable=SC2154 # leaf.sh sets the variables.
if [ -d "$directory" ]; then
  rm -f -- "$file" "$file.fleet-new" "$pending" && flush "$directory" || refuse write_failed
  remove_empty "$directory"
fi
field withdrawn yes
