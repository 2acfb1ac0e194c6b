# list releases
# Arguments: those of checkout.sh.
cd -P -- "$root" || say root-missing
if exists ./current; then
  [ -L ./current ] || say unsafe
  field selected "$(readlink ./current)"
fi
[ ! -L "./$folder" ] || say unsafe
# may_be_release NAME: another one is somebody's own, and the answer could not even name it.
may_be_release() {
  case $1 in -* | *[!a-z0-9-]*) return 1 ;; esac
  [ "${#1}" -le 63 ]
}
# A release is complete from the moment in which it may be selected.
for receipt_of in "./$folder"/*/"$receipts/release"; do
  [ -f "$receipt_of" ] && [ ! -L "$receipt_of" ] || continue
  release=${receipt_of#"./$folder/"}
  release=${release%%/*}
  may_be_release "$release" && field "release.$release" complete
done
for left in "./$folder"/*; do
  [ -d "$left" ] && [ ! -L "$left" ] && may_be_release "${left##*/}" || continue
  [ -f "$left/$receipts/release" ] || field "partial.${left##*/}" "$([ -d "$left/$receipts" ] && echo own)"
done
# What the deletion of a release left, if it was cut off; without its receipt only what has no file is one.
for left in "./$folder"/.fleet-removal-*; do
  [ -d "$left" ] && [ ! -L "$left" ] && may_be_release "${left##*/.fleet-removal-}" || continue
  proven "$left" || [ -z "$(find "$left" ! -type d | head -n 1)" ] || continue
  field "partial.${left##*/}" own
done
say listed
