# What of a checkout names the place that it has no more, $source, and what is a database in it. $here is its place now; $old and $new are the
# domains of both.
tracked() { [ -n "$(g ls-files -- ":(top,literal)$1")" ]; }

# lead_links: links that lead into the source lead to the same place here.
lead_links() {
  pattern=$(printf '%s' "$source" | sed 's/[][\\*?]/\\&/g')
  find . -path ./.git -prune -o -type l \( -lname "$pattern" -o -lname "$pattern/*" \) -print | while IFS= read -r link; do
    # A name of two lines is none of them.
    [ -L "$link" ] && ! tracked "${link#./}" || continue
    to=$here$(readlink -- "$link" | cut -c "$((${#source} + 1))-")
    # Unflushed "$link.fleet-$preparation", "$link": the whole storage is flushed before the answer.
    rm -f -- "$link.fleet-$preparation"
    ln -s -- "$to" "$link.fleet-$preparation" && mv -fT -- "$link.fleet-$preparation" "$link" || exit 1
  done
}

# rename FILE: what names the source in it names this place, but for what only begins or ends like it.
rename() {
  [ -f "$1" ] && [ ! -L "$1" ] && ! tracked "$1" || return 0
  fresh=$1.fleet-$preparation
  # Unflushed "$fresh", "$1": the same.
  rm -f -- "$fresh"
  (umask 077 && set -C && SOURCE=$source COPY=$here OLD=$old NEW=$new awk '
    function renamed(text, from, to, before, after,    done, at, left, rest) {
      while (from != "" && (at = index(text, from)) > 0) {
        left = done substr(text, 1, at - 1)
        rest = substr(text, at + length(from))
        done = left (left ~ before || rest ~ after ? from : to)
        text = rest
      }
      return done text
    }
    {
      line = renamed($0, ENVIRON["SOURCE"], ENVIRON["COPY"], "[A-Za-z0-9._~-]$", "^[A-Za-z0-9._~-]")
      print renamed(line, ENVIRON["OLD"], ENVIRON["NEW"], "[A-Za-z0-9_-][.]?$", "^([A-Za-z0-9_-]|[.][A-Za-z0-9])")
    }' <"$1" >"$fresh") && chmod --reference="$1" -- "$fresh" && mv -f -- "$fresh" "$1"
}

# Files of SQLite that Git does not have; the copies of one moment replace them.
databases() {
  find . \( -path ./.git -o -name node_modules -o -name vendor \) -prune -o -type f \
    \( -name '*.sqlite' -o -name '*.sqlite3' -o -name '*.db' -o -name '*.db3' \) -print | while IFS= read -r file; do
    [ "$(head -c 15 -- "$file")" = 'SQLite format 3' ] && ! tracked "${file#./}" && printf '%s\n' "${file#./}"
  done
}
