import { Secret } from '@fleet/kernel'
import { type Command, script, shownAs, withStdin } from '@fleet/shell'
import { RESOLVER, RUNNING, TUNNEL } from '#/network/commands/library.ts'
import { resolverWords } from '#/network/commands/resolver-words.ts'
import type { ResolverPlan } from '#/network/resolver-plan.ts'

export interface Settlement {
  readonly kind: 'hub' | 'peer'
  /** As `hubConfiguration` or `peerConfiguration` gives it. */
  readonly configuration: string
  /** With the length of its prefix, as in the configuration. */
  readonly address: string
  readonly port: number
  /** How long the hub may take to answer; 0 for the hub itself. */
  readonly handshakeSeconds: number
  /** Public key of a peer that shall find the hub by itself: a hub that speaks first would hide that it cannot. */
  readonly speaksFirst?: string | undefined
  /** Undefined leaves the resolver as it is. */
  readonly resolver?: ResolverPlan
  /** The resolver is worth the failure. */
  readonly requiresResolver?: boolean
}

/**
 * Makes /etc/wireguard/fleet.conf what it should be, the tunnel run so, now and after the next boot, and its resolver follow;
 * one round trip. What stands is not touched: peers of a hub change one by one, without a restart, and a peer's tunnel
 * that runs as configured goes on. A peer's configuration that does not work gives way to the last one that did.
 * Answers `changed`.
 */
export function settleTunnel(root: string, settlement: Settlement): Command {
  const { kind, configuration, address, port, handshakeSeconds, resolver, requiresResolver } = settlement
  const { speaksFirst = '' } = settlement
  const own = [kind, Buffer.byteLength(configuration), address, port, handshakeSeconds, speaksFirst] as const
  const words = [...resolverWords(resolver), requiresResolver === true ? 'yes' : 'no'] as const
  const command = withStdin(script(SETTLE, root, ...own, ...words), new Secret(configuration))
  return shownAs(command, `script settle the tunnel ${kind} ${address}`)
}

const SETTLE = `# settle the tunnel
${TUNNEL}
${RUNNING}
${RESOLVER}
kind=$1 bytes=$2 address=$3 port=$4 seconds=$5 first=$6
shift 6
keeper=$1 server=$2 domains=$3 default=$4 state=$5 unit_text=$6 other=$7 strict=$8
take "$bytes"
tools
hold
own || refuse key_missing
if [ "$keeper" != keep ] && foreign; then refuse state_unsupported; fi
if [ "$keeper" = line ]; then command -v resolvconf >/dev/null || refuse state_unsupported; fi
conf=$(whole)
conf=\${conf%x}
file=$folder/fleet.conf last=$folder/fleet.conf.previous
changed=no

# Files first, each whole or as it was: a machine that stops in the middle comes up with the new list or the old one.
keep "$hook" "$folder/fleet.hook" 700 || refuse write_failed
if [ "$keeper" != keep ]; then
  keep_uplink
  resolver_files "$state" "$unit_text" "$other" || [ "$strict" = no ] || refuse write_failed
fi
before=$(was "$file")
before=\${before%x}
if ! is "$conf" "$file" 600; then
  # The last one that worked; one that never did must not take its place.
  kept=no
  if [ "$kind" = peer ] && [ -n "$before" ] && [ ! -e "$last" ]; then
    kept=yes
    printf '%s' "$before" | put 600 "$last" || refuse write_failed
  fi
  if ! keep "$conf" "$file" 600; then
    [ "$kept" = no ] || rm -f -- "$last"
    refuse write_failed
  fi
fi
let_go

# back REASON: what was before runs again.
back() {
  earlier=$before
  if [ "$kind" = peer ]; then earlier=$(was "$last"); earlier=\${earlier%x}; fi
  if [ -n "$earlier" ] && [ "$earlier" != "$conf" ]; then
    printf '%s' "$earlier" | put 600 "$file" && rm -f -- "$last"
    text=$(printf '%s' "$earlier" | sed '1,3d'; printf x)
    text=\${text%x}
    if [ "$kind" = peer ]; then start; else adjust || start; fi
  fi
  refuse "$1"
}

# adjust: a running tunnel, without a restart.
adjust() {
  has_link || return 1
  changes=$(differences "$first") || return 1
  [ "$(wg show "$link" listen-port)" = "$port" ] || changes="listen-port $port $changes"
  [ -z "$changes" ] && return 0
  changed=yes
  wg set "$link" $changes
}

if ! boots; then
  changed=yes
  systemctl enable "$unit" || back start_failed
  sync "$root/etc/systemd/system/multi-user.target.wants"
fi
if ! stands || { [ "$kind" = peer ] && [ "$(applied)" != "$(printf '%s' "$conf" | sum)" ]; }; then
  changed=yes
  start || back start_failed
else
  adjust || back start_failed
fi

left=$((seconds * 5))
until [ "$left" -eq 0 ] || wg show "$link" latest-handshakes | awk '$2 > 0 { found = 1 } END { exit !found }'; do
  left=$((left - 1))
  [ "$left" -gt 0 ] || back handshake_failed
  sleep 0.2
done
rm -f -- "$last"

if [ "$keeper" != keep ]; then
  hold
  if ! points; then
    changed=yes
    if [ "$keeper" = line ]; then point_by_line; else point "$server" "$domains" "$default" && points; fi \\
      || [ "$strict" = no ] || refuse dns_failed
  fi
fi
field changed "$changed"
`
