# shellcheck shell=sh
# Root folder and name of the service are the first two arguments. Standard input begins with the plan, until `end`; the
# contents that it announces follow, each of its size.
root=$1 service=$2
shift 2
plan=
line=
while IFS= read -r line && [ "$line" != end ]; do
  plan="$plan$line
"
done
exec 3<&0

# refuse REASON [UNIT]: with the file systems that have no room left, and state and last lines of the unit that is to blame.
refuse() {
  field failed "$1"
  name_full "$1"
  [ -z "${2:-}" ] || unit_report "$2"
  exit 0
}
[ "$line" = end ] || refuse script_failed

# hook MOMENT…: runs the service's own script for this moment, with these functions; true where it has none.
keep_hook() { eval "hook_$1=\$(head -c \"\$2\" <&3) argument_$1=\$3"; }
hook() {
  eval "text=\${hook_$1:-} argument=\${argument_$1:-}"
  shift
  [ -z "$text" ] || (set -- "$argument" "$@" && eval "$text") </dev/null
}
each hook keep_hook
