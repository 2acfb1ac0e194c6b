# read the journal of a unit
# Arguments: the unit, how many lines, the most bytes. Answers the lines, and whether earlier ones were cut off by size.
text=$(journalctl --unit="$1" --lines="$2" --output=cat --no-pager --quiet && echo end) || exit 1
text=${text%end}
truncated=no
if [ "$(printf '%s' "$text" | wc -c)" -gt "$3" ]; then
  truncated=yes
  # Its end begins in the middle of a line, which is then left out.
  text=$(printf '%s' "$text" | tail -c "$3" | sed 1d; echo end)
  text=${text%end}
fi
field lines "$text"
field truncated "$truncated"
