# How a checkout gets rid of what a Git that was cut off has written in it.

# The tree is that of HEAD again. What Git has written is known by its content, which is that of one of both commits or the
# beginning of what it was to become; everything else stays.
put_back() {
  is_begun || return 0
  head=$(g rev-parse -q --verify HEAD)
  case $head in
    "$began_at") other=$aimed_at ;;
    "$aimed_at") other=$began_at ;;
    # Somebody has gone on since.
    *) end_checking_out; return ;;
  esac
  lists=$(mktemp -d) || return 1
  if restore 2>"$lists/problem" && flush_storage .; then
    # Unflushed "$lists": nobody reads them after a power cut.
    rm -rf -- "$lists"
    end_checking_out
  else
    problem=$(cat "$lists/problem")
    rm -rf -- "$lists"
    return 1
  fi
}
restore() {
  # Its writing was not flushed when the power went.
  # Unflushed "$GIT_DIR/index": Git writes another one at once.
  g ls-files -- . >/dev/null || { rm -f -- "$GIT_DIR/index" && g read-tree "$head"; } || return 1
  g -c core.quotePath=false diff-tree -r --no-renames "$head" "$other" >"$lists/both" || return 1
  while IFS=$tab read -r facts path; do
    # Submodules are empty folders, and a name that Git has to quote stays as it is.
    case $facts in ':160000 '* | ':'??????' 160000 '*) continue ;; esac
    case $path in \"*) continue ;; esac
    # shellcheck disable=SC2086 # Several words.
    set -- $facts
    is_written "$path" "$3" "$4" || continue
    case $1 in :000000) printf '%s\n' "$path" >>"$lists/gone" ;; *) printf '%s\n' "$path" >>"$lists/there" ;; esac
  done <"$lists/both"
  if [ -s "$lists/gone" ]; then
    g_reading update-index --force-remove --stdin <"$lists/gone" || return 1
    while IFS= read -r path; do
      is_clear "$path" || continue
      # Unflushed "./$path": the whole storage is flushed before the mark goes.
      rm -f -- "./$path"
      case $path in */*) rmdir -p -- "${path%/*}" ;; esac
    done <"$lists/gone"
  fi
  [ -s "$lists/there" ] || return 0
  while IFS= read -r path; do
    is_clear "$path" && { [ -L "./$path" ] || [ ! -d "./$path" ]; } && printf '%s\n' "$path" >>"$lists/free"
  done <"$lists/there"
  [ ! -s "$lists/free" ] || lent --literal-pathspecs checkout -q --pathspec-from-file="$lists/free" "$head"
}
