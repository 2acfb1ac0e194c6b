# list releases
# Arguments: those of checkout.sh.
cd -P -- "$root" || say root-missing
if exists ./current; then
  [ -L ./current ] || say unsafe
  field selected "$(readlink ./current)"
fi
[ ! -L "./$folder" ] || say unsafe
# A release is complete from the moment in which it may be selected.
for receipt_of in "./$folder"/*/"$receipts/release"; do
  [ -f "$receipt_of" ] && [ ! -L "$receipt_of" ] || continue
  release=${receipt_of#"./$folder/"}
  field "release.${release%%/*}" complete
done
for left in "./$folder"/*; do
  [ -d "$left" ] && [ ! -L "$left" ] || continue
  [ -f "$left/$receipts/release" ] || field "partial.${left##*/}" "$([ -d "$left/$receipts" ] && echo own)"
done
say listed
