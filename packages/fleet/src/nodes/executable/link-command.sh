# Over $directory and $link: the command where nothing stands in its place, and the seal of the executable.

# seal DIGEST FACTS
seal() { printf '%s\n%s\n' "$1" "$2" | put 600 "$directory/.seal"; }
link_command() {
  umask 022
  [ -e "$link" ] || [ -L "$link" ] || { make_folder "${link%/*}" && link_to "$directory/fleet" "$link"; }
}
