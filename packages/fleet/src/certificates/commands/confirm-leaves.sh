# confirm that certificates were loaded
# Arguments: their files.
for file; do
  remove "$file.pending" || refuse write_failed
done
field confirmed yes
