# ask for a page
# Arguments: the root folder, the version of PHP, the socket, the root of the web, the path, the domain, seconds, bytes of the body. The client is on standard input.
root=$1 version=$2
answer=$("php$version" -n -- "$root$3" "$root$4" "$5" "$6" "$7" "$8") || refuse broken
field outcome "${answer%% *}"
answer=${answer#* }
field status "${answer%% *}"
field body "${answer#* }"
field end yes
