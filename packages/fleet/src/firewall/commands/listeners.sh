# read what listens
# Arguments: the root folder of the machine, empty but in tests.
root=$1
PATH=${root:+$root/bin:}/usr/sbin:/usr/bin:/sbin:/bin
export PATH
field sockets "$(ss -H -l -n -t -u -p)"
# What an engine of containers has published on every address: it goes to a container before the rules of UFW see it.
field published "$(iptables -t nat -S | grep -v -e ' -d 127\.' |
  sed -n 's/^-A .* -p \(tcp\|udp\) .*--dport \([0-9]*\) .*-j DNAT .*/\1 \2/p' | sort -u)"
