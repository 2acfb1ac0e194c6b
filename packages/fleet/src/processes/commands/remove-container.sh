# remove the container of a Process
# Arguments: id and container of the Process, and whether its volumes without a name go too (`with-volumes` or empty). Answers that neither it nor its half-created successor exists.
id=$1 name=$2 volumes=$3
# Without Docker nothing of it runs, and nobody could remove it.
if ! command -v docker >/dev/null; then field removed yes; exit 0; fi
alone "$id"
for each in "$name-new" "$name"; do
  look_or_refuse "$each"
  [ -n "$seen" ] || continue
  is_own "$id" || refuse foreign
  discard "$each" "$volumes" || refuse failed
done
forget_lock "$id"
field removed yes
