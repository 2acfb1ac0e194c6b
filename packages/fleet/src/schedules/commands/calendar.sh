# try a calendar
# Arguments: the expression. Answers that systemd accepts it.
command -v systemd-analyze >/dev/null || refuse no-systemd
systemd-analyze calendar -- "$1" >/dev/null || refuse invalid
field accepted yes
