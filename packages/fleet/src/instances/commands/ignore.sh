# The fleet's own files are nobody's work.
ignore() {
  excluded=$shared_git/info/exclude
  if [ -n "$(tail -c 1 "$excluded")" ]; then echo >>"$excluded" || return 1; fi
  printf '%s\n' "$exclude" | while IFS= read -r line; do
    grep -qxF -- "$line" "$excluded" || printf '%s\n' "$line" >>"$excluded" || return 1
  done
}
