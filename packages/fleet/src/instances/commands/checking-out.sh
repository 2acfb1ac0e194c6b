# How a checkout comes to another commit: nothing that is only there is overwritten, whether Git ignores it or not.

# not_checked_out PROBLEM: says why Git refused or failed.
not_checked_out() {
  case $1 in
    *'would be overwritten by '* | *'would lose untracked files in '*)
      # The first one: there may be thousands. An answer is text, which a name need not be.
      tab=$(printf '\t')
      field path "$(printf '%s\n' "$1" | sed -n "s/^$tab//p" | head -n 1 | tr -c '\n\040-\176' '?')"
      say in-the-way ;;
  esac
  blame failed "$1" "$receipts"
}
