# State of each production home. Arguments: the root folder; then home, Unix user and selected release of each, the last one
# empty before the first deployment.
root=$1
shift
exists() { [ -e "$1" ] || [ -L "$1" ]; }
# own_folder PATH USER: a real directory of that user.
own_folder() { [ -d "$1" ] && [ ! -L "$1" ] && [ "$(stat -c %U -- "$1")" = "$2" ]; }

home_state() {
  if ! exists "$1"; then echo missing
  elif ! own_folder "$1" "$2"; then echo owner
  elif exists "$1/$releases" && ! own_folder "$1/$releases" "$2"; then echo releases
  else case $(stat -c %a -- "$1") in *0) echo own ;; *) echo open ;; esac fi
}

selection_state() {
  if ! exists "$1/current"; then echo none
  elif [ ! -L "$1/current" ]; then echo folder
  elif [ "$(readlink -- "$1/current")" = "$releases/$2" ]; then echo own
  else echo other; fi
}

# A release is complete from the moment in which it may be selected.
release_state() {
  if ! exists "$1"; then echo missing
  elif ! own_folder "$1" "$2"; then echo owner
  elif [ -f "$1/.git/$receipts/release" ] && [ ! -L "$1/.git/$receipts/release" ]; then echo own
  else echo incomplete; fi
}

at=0
while [ "$#" -ge 3 ]; do
  field "home.$at" "$(home_state "$root$1" "$2")"
  field "selection.$at" "$(selection_state "$root$1" "$3")"
  field "release.$at" "$(release_state "$root$1/$releases/$3" "$2")"
  at=$((at + 1))
  shift 3
done
field end yes
