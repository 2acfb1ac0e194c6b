import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '@fleet/pki'
import { run } from '@fleet/shell'
import { GATEWAY_UNIT, GATEWAY_USER, PLACES, TUNNEL_UNIT } from '#/console/places.ts'
import { type Programs, systemPrograms } from '#/console/programs.ts'

/**
 * The unit of the gateway process. It may bind a low port and write its home; it sees no device, no other home and no other
 * process. Memory stays writable and executable at once: V8 compiles at run time.
 */
export const gatewayUnit = (): string => `[Unit]
Description=Fleet gateway
After=network-online.target ${TUNNEL_UNIT}
Wants=network-online.target ${TUNNEL_UNIT}
# Between two releases nothing may run.
ConditionPathExists=!/opt/fleet/upgrade.hold
# The tunnel address may come later than this unit, and a gateway that is down helps nobody.
StartLimitIntervalSec=0

[Service]
User=${GATEWAY_USER}
Group=${GATEWAY_USER}
EnvironmentFile=${PLACES.settings}
ExecStart=${join(PLACES.current, 'bin/fleet')} gateway-process
Restart=on-failure
RestartSec=2
TimeoutStopSec=90
UMask=0077
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=${PLACES.home}
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes

[Install]
WantedBy=multi-user.target
`

/** Writes the unit; true when it differs from the one that was there. */
export async function writeUnit(
  path: string,
  text: string,
  { must }: Programs = systemPrograms,
): Promise<boolean> {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return false
  replaceFile(path, text, 0o644)
  await must(run('systemctl', 'daemon-reload'))
  return true
}

/** Writes, enables and starts the gateway; a running one is not restarted unless its unit or its settings changed. */
export async function startService(
  changed: boolean,
  path: string = PLACES.unit,
  programs: Programs = systemPrograms,
): Promise<void> {
  const isNew = await writeUnit(path, gatewayUnit(), programs)
  await programs.must(run('systemctl', 'enable', '--quiet', GATEWAY_UNIT))
  await programs.must(run('systemctl', isNew || changed ? 'restart' : 'start', GATEWAY_UNIT))
}
