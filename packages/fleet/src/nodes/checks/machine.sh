# inspect the machine itself
# Arguments: the home of the user that logs in. What does not exist is passed over.
# `df` counts what is kept for root as used, as everybody else on the machine does.
field system "$(uname -s)"
field architecture "$(uname -m)"
field tunnel "$(ip -o -4 addr show dev fleet 2>/dev/null | awk '{ sub("/.*", "", $4); print $4 }')"
# least_free OPTION HOME: of blocks (-k) or inodes (-i); nothing where no file system counts them.
least_free() {
  timeout 5 df -P "$1" / /home /opt /srv /tmp /var /var/lib/docker /var/lib/fleet "$2" 2>/dev/null | awk '
    NR > 1 && $3 + $4 > 0 { free = int(100 * $4 / ($3 + $4)); if (least == "" || free < least) least = free }
    END { print least }'
}
field inodes "$(least_free -i "$1")"
field free "$(least_free -k "$1")"
