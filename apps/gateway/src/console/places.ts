/** Where an installed gateway lies on its machine. */
export const PLACES = {
  base: '/opt/fleet',
  releases: '/opt/fleet/releases',
  current: '/opt/fleet/current',
  /** Where every Node has the executable. */
  executable: '/opt/fleet/bin/fleet',
  home: '/var/lib/fleet',
  settings: '/etc/fleet/gateway.env',
  unit: '/etc/systemd/system/fleet-gateway.service',
  command: '/usr/local/bin/fleet',
  console: '/usr/local/bin/fleet-gateway',
  tunnel: '/etc/wireguard',
} as const

/** System user of the gateway process. The managed user of the Node is another. */
export const GATEWAY_USER = 'fleet-gateway'
export const GATEWAY_UNIT = 'fleet-gateway.service'
export const UPGRADE_UNIT = 'fleet-gateway-upgrade.service'
/** The interface of the tunnel. */
export const TUNNEL_LINK = 'fleet'
export const TUNNEL_UNIT = 'wg-quick@fleet.service'
