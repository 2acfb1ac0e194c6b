/**
 * Shell functions over `$home`, `$units` and `$runtime`. `agent_state` answers the fields `secret`, `config`,
 * `certificate`, `unit` (SHA-256; empty when missing or not root's own with the right mode), `enabled` and `running`:
 * the digest with which the live process began, empty when there is none.
 */
export const AGENT_STATE = `
unit_name=fleet-agent.service
agent_running() {
  pid=$(systemctl show --property=MainPID --value "$unit_name")
  [ "\${pid:-0}" != 0 ] && read -r ready digest <"$runtime/ready" && [ "$ready" = "$pid" ] && printf '%s' "$digest"
}
agent_state() {
  if [ "$(owned "$home")" = 700 ]; then private=yes; else private=; fi
  field secret "\${private:+$(sound 600 "$home/secret")}"
  field config "\${private:+$(sound 600 "$home/config.toml")}"
  field certificate "\${private:+$(sound 600 "$home/ca.pem")}"
  field unit "$(sound 644 "$units/$unit_name")"
  field enabled "$(systemctl is-enabled "$unit_name")"
  field running "$(agent_running)"
}
`
