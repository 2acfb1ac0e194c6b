# field NAME VALUE: one value of the answer, without NUL.
field() {
  printf '%s %d\n%s\n' "$1" "${#2}" "$2"
}
# Bytes, not characters: the reader counts bytes.
LC_ALL=C
# field_file NAME PATH: the bytes of a regular file.
field_file() {
  printf '%s %d\n' "$1" "$(wc -c <"$2")" && cat "$2" && printf '\n'
}
