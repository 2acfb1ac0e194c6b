# inspect the machine itself
# Arguments: the home of the user that logs in. What does not exist is passed over.
# `df` counts what is kept for root as used, as everybody else on the machine does.
field system "$(uname -s)"
field architecture "$(uname -m)"
field tunnel "$(ip -o -4 addr show dev fleet 2>/dev/null | awk '{ sub("/.*", "", $4); print $4 }')"
field free "$(timeout 5 df -P -k / /home /opt /srv /tmp /var /var/lib/docker /var/lib/fleet "$1" 2>/dev/null | awk '
  NR > 1 && $3 + $4 > 0 { free = int(100 * $4 / ($3 + $4)); if (least == "" || free < least) least = free }
  END { print least }')"
