# Whether UFW is there and on, its rules files byte for byte, and what the kernel really does. `ufw status` is for people: it
# tells comments and interfaces in prose. Arguments: the root folder of the machine, empty but in tests.
root=$1
PATH=${root:+$root/bin:}/usr/sbin:/usr/bin:/sbin:/bin
export PATH
folder=$root/etc/ufw
defaults=$root/etc/default/ufw

# The last assignment counts, as it does for the shell that UFW reads these files with.
setting() { sed -n "s/^$2=//p" "$1" | tail -n 1 | tr -d '"'"'" | tr '[:upper:]' '[:lower:]'; }
has_ufw() { command -v ufw >/dev/null && [ -d "$folder" ]; }
uses_ipv6() { [ "$(setting "$defaults" IPV6)" = yes ]; }

# Chains that nothing leads to filter nothing, as after somebody flushed the kernel's own.
is_running() {
  [ "$(setting "$folder/ufw.conf" ENABLED)" = yes ] &&
    iptables -C INPUT -j ufw-before-input &&
    iptables -C ufw-before-input -j ufw-user-input
}

denies_rest() { case $(setting "$defaults" DEFAULT_INPUT_POLICY) in drop | reject) ;; *) return 1 ;; esac; }
# Without systemd whoever starts the machine sees to it.
is_enabled() { ! command -v systemctl >/dev/null || systemctl is-enabled --quiet ufw.service; }

show_family() {
  [ -f "$folder/user$1.rules" ] && field_file "rules$1" "$folder/user$1.rules"
  field "kernel$1" "$(
    "ip$1tables" -S "ufw$1-user-input"
    "ip$1tables" -S "ufw$1-user-forward"
  )"
}

show_state() {
  if ! has_ufw; then field backend absent; return; fi
  if is_running; then field backend active; else field backend inactive; fi
  if denies_rest; then field denying yes; else field denying no; fi
  if is_enabled; then field starting yes; else field starting no; fi
  show_family ''
  if uses_ipv6; then show_family 6; fi
}
