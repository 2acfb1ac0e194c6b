import type { Reasons } from '#/nodes/api.ts'

const refusedPeer = {
  tools_missing: 'vpn.tools_missing',
  busy: 'vpn.peer_dns_busy',
  key_missing: 'vpn.peer_key_failed',
} as const

export const keyReasons: Reasons = refusedPeer

export const peerReasons: Reasons = {
  ...refusedPeer,
  state_unsupported: 'vpn.peer_dns_state_unsupported',
  incomplete: 'vpn.peer_config_install_failed',
  write_failed: 'vpn.peer_config_install_failed',
  start_failed: 'vpn.peer_start_failed',
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
}
