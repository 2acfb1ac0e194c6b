# shellcheck shell=sh
# refuse_failed CONTAINER ENGINE INPUT: says whether the server refused a statement, or nobody can log in there. The password is the
# first line of the input.
refuse_failed() {
  printf '%s\nSELECT 1;\n' "${3%%
*}" | client "$1" "$2" '' >/dev/null 2>&1 || refuse server_unreachable
  refuse failed
}
