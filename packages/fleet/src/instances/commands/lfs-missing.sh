# Whether a commit brings what only Git LFS has.

# is_lfs_missing COMMIT: what the checkout has of the commit in another way, or not at all, are texts of Git LFS that name their content,
# and nothing of the user or the system would put that in their place.
is_lfs_missing() (
  for program in process smudge; do [ -z "$(g config --get "filter.lfs.$program")" ] || exit 1; done
  g grep -q 'filter=lfs' "$1" -- ':(top,glob)**/.gitattributes' || exit 1
  export GIT_INDEX_FILE="$GIT_DIR/$receipt/index.$preparation"
  # Unflushed "$GIT_INDEX_FILE", "$GIT_INDEX_FILE.lock": the next look removes what comes back.
  rm -f -- "$GIT_INDEX_FILE" "$GIT_INDEX_FILE.lock"
  g read-tree "$1"
  g diff-tree -r -z --no-renames --name-only --diff-filter=d HEAD "$1" | g_reading check-attr --cached -z --stdin filter |
    tr '\0\n' '\n?' | awk 'NR % 3 == 1 { path = $0 } NR % 3 == 0 && $0 == "lfs" { print path }' | {
    found=1
    while [ "$found" = 1 ] && IFS= read -r path; do
      if g cat-file blob "$1:$path" | head -c 40 | grep -q '^version https://git-lfs'; then found=0; fi
    done
    rm -f -- "$GIT_INDEX_FILE"
    exit "$found"
  }
)
