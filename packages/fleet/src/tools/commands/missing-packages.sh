# find missing packages
# Arguments: the wanted packages, `|` between those of which one is enough, `?` at the end of those that are wanted only
# where a package source has the first. A package that was removed but left its settings, or was cut off half way, does
# not count.
choices=$(printf '%s ' "$@" | tr '|?' '  ')
known() { LC_ALL=C apt-cache policy -- "$1" | grep -q '^  Candidate: [^(]'; }
# The names have no spaces, and none of them is a pattern.
# shellcheck disable=SC2086 # Several words.
installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $choices | sed -n 's/^installed //p' | tr '\n' ' ') "
missing=$(
  for wanted; do
    found=
    names=${wanted%[?]}
    for choice in $(printf '%s' "$names" | tr '|' ' '); do
      case $installed in *" $choice "*) found=yes ;; esac
    done
    [ -n "$found" ] || { [ "$names" != "$wanted" ] && ! known "${names%%|*}"; } || printf '%s\n' "${names%%|*}"
  done
)
field missing "$missing"
# The shell that asks for Doctor cuts off newlines, which an empty field ends with.
field end yes
