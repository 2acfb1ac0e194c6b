# inspect a certificate
state=unsound
if [ -f "$file" ] && [ ! -L "$file" ] && [ ! -L "$directory" ] && [ ! -e "$pending" ] &&
  [ "$(stat -c '%a %U' -- "$file")" = "600 $owner" ] && grep -q 'PRIVATE KEY' "$file"; then state=sound; fi
field state "$state"
field certificate "$(sed -n '/BEGIN CERTIFICATE/,/END CERTIFICATE/p' "$file")"
