# Whether something takes connections at $1, port $2; which address the Node hears under the domain $3; the leaf file $4.
print_leaves "$4"
# shellcheck disable=SC2016
if timeout 5 bash -c 'exec 3<>"/dev/tcp/$1/$2"' - "$1" "$2"; then field upstream yes; else field upstream no; fi
field address "$(timeout 5 getent ahostsv4 "$3" | awk 'NR == 1 { print $1 }')"
