# shellcheck shell=sh
# Removes what a lock file brings back, at once and for Git unseen.
trash=$git_folder/fleet-pruned
# Unflushed "$trash": what is left of it is removed with the next one.
rm -rf -- "$trash"
prunable >"$removed.new"
sync "$removed.new"
mv -- "$removed.new" "$removed"
sync "$git_folder"
# Unflushed "$folder", "$trash/$folder": what comes back after a power cut is not installed again.
while read -r folder; do
  mkdir -p -- "$trash"
  mv -- "$folder" "$trash/$folder"
done <"$removed"
rm -rf -- "$trash"
