# read a package of apt
# Arguments: the package, `yes` to fetch the lists first where they are a day old or do not know the package.
offered() { apt-cache policy -- "$1"; }
is_old() { [ -z "$(find /var/lib/apt/lists -maxdepth 1 -type f -name '*Packages*' -mtime -1 | head -n 1)" ]; }
# Without its network a Node still knows what it was offered last.
if [ "$2" = yes ] && { is_old || ! offered "$1" | grep -q '^  Candidate: [^(]'; }; then update || :; fi
field policy "$(offered "$1")"
field status "$(dpkg-query -W -f '${db:Status-Status} ${Version}\n' -- "$1")"
field end yes
