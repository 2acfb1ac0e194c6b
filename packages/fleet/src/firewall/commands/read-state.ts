import { type Command, FIELD_WRITERS, script } from '@fleet/shell'

/** Where the machine's files stand: empty on every Node, a folder in tests. */
export type Root = string

/**
 * How both scripts begin and what they tell in the end: whether UFW is there and on, its rules files byte for byte, and
 * what the kernel really does. `ufw status` is for people: it tells comments and interfaces in prose.
 */
export const SHOW_STATE = `
${FIELD_WRITERS}
set -u
LC_ALL=C
export LC_ALL
umask 077
exec 2>/dev/null
root=$1
PATH=\${root:+$root/bin:}/usr/sbin:/usr/bin:/sbin:/bin
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
is_lasting() { is_running && denies_rest && is_enabled; }

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
  if is_lasting; then field lasting yes; else field lasting no; fi
  show_family ''
  if uses_ipv6; then show_family 6; fi
}
`

/** What Doctor and every change ask first. It changes nothing. */
export const READ_STATE = `# read the firewall
${SHOW_STATE}
show_state
field end yes
`

export const readState = (root: Root = ''): Command => script(READ_STATE, root)
