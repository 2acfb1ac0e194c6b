# shellcheck shell=sh
# is_ours MARKER PATH: a file of which a line is `# MARKER`, so it was written for the record that the marker names.
is_ours() { [ -f "$2" ] && [ ! -L "$2" ] && grep -qxF "# $1" "$2"; }
