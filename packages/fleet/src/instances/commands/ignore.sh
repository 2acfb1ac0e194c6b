# The fleet's own files are nobody's work.
ignore() {
  excluded=$shared_git/info/exclude
  # A line of before hid files of others too.
  outdated=$(printf '%s\n' "$exclude" | head -n 1)'.fleet-*'
  if grep -qxF -- "$outdated" "$excluded"; then
    # Unflushed "$excluded.fleet-$preparation", "$excluded": the whole storage is flushed before the answer.
    rm -f -- "$excluded.fleet-$preparation"
    (set -C && grep -vxF -- "$outdated" "$excluded" >"$excluded.fleet-$preparation"; [ $? -le 1 ]) &&
      mv -f -- "$excluded.fleet-$preparation" "$excluded" || return 1
  fi
  if [ -n "$(tail -c 1 "$excluded")" ]; then echo >>"$excluded" || return 1; fi
  printf '%s\n' "$exclude" | while IFS= read -r line; do
    grep -qxF -- "$line" "$excluded" || printf '%s\n' "$line" >>"$excluded" || return 1
  done
}
