import type { Answer } from '@fleet/shell'
import type { MoreOfRefusal, Reasons } from '#/nodes/api.ts'

const portTaken = (what: string): string =>
  `${what}: its UDP port is in use by something else on the machine, which \`ss -ulnp\` there names. Give that another port. A tunnel that was running before is restored.`

/** Whose addresses are in the way, by the name of its link. */
export const moreOfStart = (answer: Answer, reason: string): MoreOfRefusal | undefined => {
  if (reason !== 'range_taken') return undefined
  const link = answer.text('link')
  return {
    message:
      `The tunnel of the machine does not start: its link ${link} has an address in the range of the fleet (\`ip address show ${link}\` there). ` +
      'One of both needs another range. A tunnel that was running before is restored.',
    details: { link },
  }
}

const refusedPeer = {
  tools_missing: 'vpn.tools_missing',
  busy: 'vpn.peer_dns_busy',
  key_missing: 'vpn.peer_key_failed',
} as const

export const keyReasons: Reasons = {
  ...refusedPeer,
  key_lost: [
    'vpn.peer_key_failed',
    'The tunnel key of the hub is not on its machine any more, and every Node knows the hub by it. Put the files of /etc/wireguard back ' +
      'from a backup of the gateway, then repeat the command. Another key cuts every Node off until its own tunnel is given the new one on ' +
      'its console; to have one all the same: `(umask 077; wg genkey >/etc/wireguard/fleet.key)` on the machine.',
  ],
  conf_foreign: [
    'vpn.peer_config_install_failed',
    '/etc/wireguard/fleet.conf of the machine is not written by Fleet, whose tunnel has this name. Nothing was changed. ' +
      'Give that tunnel another name there: `systemctl disable --now wg-quick@fleet; mv /etc/wireguard/fleet.conf /etc/wireguard/OTHER.conf; systemctl enable --now wg-quick@OTHER`. Then repeat the command.',
  ],
}

export const peerReasons: Reasons = {
  ...refusedPeer,
  state_unsupported: 'vpn.peer_dns_state_unsupported',
  incomplete: 'vpn.peer_config_install_failed',
  write_failed: 'vpn.peer_config_install_failed',
  start_failed: 'vpn.peer_start_failed',
  port_taken: ['vpn.peer_start_failed', portTaken('The tunnel of the machine does not start')],
  range_taken: 'vpn.peer_start_failed',
  handshake_failed: 'vpn.peer_handshake_failed',
  dns_failed: 'vpn.peer_dns_apply_failed',
}

const installFailed = 'vpn.server_config_install_failed'

export const hubReasons: Reasons = {
  tools_missing: 'vpn.tools_missing',
  busy: installFailed,
  key_missing: installFailed,
  state_unsupported: 'vpn.peer_dns_state_unsupported',
  incomplete: installFailed,
  write_failed: installFailed,
  start_failed: installFailed,
  port_taken: [installFailed, portTaken('The tunnel of the hub does not start')],
  range_taken: installFailed,
  dns_failed: installFailed,
}

export const resolverReasons: Reasons = {
  ...refusedPeer,
  state_unsupported: 'vpn.peer_dns_state_unsupported',
  recovery_pending: 'vpn.peer_recovery_pending',
  candidate_invalid: 'vpn.peer_dns_candidate_invalid',
  apply_failed: 'vpn.peer_dns_apply_failed',
  recovery_failed: 'vpn.peer_dns_recovery_failed',
  link_missing: 'vpn.peer_dns_apply_failed',
  list_immutable: [
    'vpn.peer_dns_apply_failed',
    '/etc/resolv.conf of the machine is immutable (chattr +i), so it cannot become that of systemd-resolved. Nothing was changed. ' +
      'Its servers are kept: `chattr -i /etc/resolv.conf` on the machine, then repeat the command.',
  ],
}
