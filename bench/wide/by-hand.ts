import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GatewayHost, Host } from '../../lab/index.ts'
import { PACKAGES, UNITS } from './playbook.ts'

const SCRIPT = '/root/wide/by-hand.sh'

/**
 * What an administrator's script does to make a blank machine as much of a Node as an enrolment does: packages, user, key and
 * sudo rule, executable, trust, tunnel, resolver, firewall and units. One connection, nothing checked in between, no agent.
 */
export async function byHand(gateway: GatewayHost, host: Host): Promise<() => Promise<unknown>> {
  const hub = (await gateway.host.run(['wg', 'show', 'fleet', 'public-key'])).trim()
  writeFileSync(join(gateway.host.root, SCRIPT), script(host, gateway.host, hub))
  return () => gateway.host.run(['sh', SCRIPT], { timeoutSeconds: 300 })
}

/** An address of the tunnel that no Node of the lab has. */
const TUNNEL = '10.44.0.250'

const script = (host: Host, gateway: Host, hub: string): string => `set -eu
options="-i /root/wide/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR
  -o ControlMaster=auto -o ControlPersist=60s -o ControlPath=/root/wide/by-hand-%h"
ssh $options root@${host.address} 'cat >/root/fleet.new' </opt/fleet/bin/fleet
ssh $options root@${host.address} 'cat >/usr/local/share/ca-certificates/by-hand.crt' </usr/local/share/ca-certificates/fleet-gateway.crt
ssh $options root@${host.address} sh -eu <<'END'
export DEBIAN_FRONTEND=noninteractive
apt-get install -y -q --no-install-recommends ${PACKAGES.join(' ')} >/dev/null
id fleet >/dev/null 2>&1 || useradd --create-home --shell /bin/bash fleet
install -d -m 700 -o fleet -g fleet /home/fleet/.ssh
install -m 600 -o fleet -g fleet /root/.ssh/authorized_keys /home/fleet/.ssh/authorized_keys
echo 'fleet ALL=(ALL:ALL) NOPASSWD: ALL' >/etc/sudoers.d/fleet-fleet
chmod 440 /etc/sudoers.d/fleet-fleet
visudo -cq
install -D -m 755 /root/fleet.new /opt/fleet/bin/fleet
ln -sf /opt/fleet/bin/fleet /usr/local/bin/fleet
update-ca-certificates >/dev/null 2>&1
umask 077
[ -s /etc/wireguard/fleet.key ] || wg genkey >/etc/wireguard/fleet.key
cat >/etc/wireguard/fleet.conf <<CONF
[Interface]
PrivateKey = $(cat /etc/wireguard/fleet.key)
Address = ${TUNNEL}/32
ListenPort = 41820
[Peer]
PublicKey = ${hub}
AllowedIPs = 10.44.0.0/16
Endpoint = ${gateway.address}:51820
PersistentKeepalive = 25
CONF
ufw allow 22/tcp >/dev/null
ufw --force enable >/dev/null
ufw allow in on fleet to ${TUNNEL} >/dev/null
systemctl enable -q --now ${UNITS.filter((unit) => unit !== 'fleet-agent').join(' ')}
resolvectl dns fleet 10.44.0.1
resolvectl domain fleet '~.'
END
wg set fleet peer "$(ssh $options root@${host.address} wg show fleet public-key)" allowed-ips ${TUNNEL}/32
ssh $options root@${host.address} "timeout 20 bash -c 'until </dev/tcp/10.44.0.1/443; do sleep 0.2; done' 2>/dev/null"
`
