# read a package of apt
# Arguments: the package, `yes` to fetch the lists first where they are a day old or do not know the package.
offered() { apt-cache policy -- "$1"; }
is_old() { [ -z "$(find /var/lib/apt/lists -maxdepth 1 -name '*Packages*' -mtime -1 | head -n 1)" ]; }
# Without its network a Node still knows what it was offered last, and nobody waits long for what does not answer.
refresh() {
  timeout 60 apt-get -q -o Acquire::Retries=0 -o Acquire::http::Timeout=10 -o Acquire::https::Timeout=10 update >/dev/null </dev/null
}
if [ "$2" = yes ] && { is_old || ! offered "$1" | grep -q '^  Candidate: [^(]'; }; then refresh || :; fi
if [ "$2" = yes ]; then
  # What cannot be read is not the same as what is not offered.
  policy=$(offered "$1" 2>&1) || case $policy in *'No space left'*) refuse storage_full ;; *) refuse unreadable ;; esac
fi
field policy "$(offered "$1")"
field status "$(dpkg-query -W -f '${db:Status-Status} ${Version} ${db:Status-Want}\n' -- "$1")"
field end yes
