# reset an opcode cache
# Arguments: the root folder, the version of PHP, the Unix user, the socket, the script of the pool, the pool, seconds. The client is on standard input.
root=$1 version=$2 user=$3
number=$(id -u -- "$user") || refuse association
field outcome "$("php$version" -n -- "$root$4" "$root$5" "$6" "$number" "$7")"
field end yes
