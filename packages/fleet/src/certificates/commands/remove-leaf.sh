# withdraw a certificate
if [ -d "$directory" ]; then
  rm -f -- "$file" "$file.fleet-new" "$pending" && flush "$directory" || refuse write_failed
  remove_empty "$directory"
fi
field withdrawn yes
