# withdraw a certificate
# Arguments: its folder and the name of its file.
directory=$1 file=$1/$2
if [ -d "$directory" ]; then
  rm -f -- "$file" "$file.fleet-new" "$file.pending" && flush "$directory" || refuse write_failed
  remove_empty "$directory"
fi
field withdrawn yes
