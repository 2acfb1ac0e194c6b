import { createHash } from 'node:crypto'
import { type ExecutablePlace, executableFile } from '#/nodes/api.ts'

/** What an agent has to know of the gateway. */
export interface AgentTarget {
  /** `https://gateway.fleet`, by the name in the certificate. */
  readonly url: string
  /** Tunnel address that it connects to, so that the private DNS may be down. */
  readonly address: string
  /** PEM of the fleet's root: the only authority that the agent trusts. */
  readonly rootCertificate: string
}

/** All files but the secret, which is made on the way to the Node. */
export interface AgentFiles {
  readonly config: string
  readonly certificate: string
  readonly unit: string
  /** Of everything that the agent must be restarted for, its secret aside; a running agent says with which one it began. */
  readonly digest: string
}

export const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex')

export function agentFiles(
  target: AgentTarget,
  executableSha256: string,
  place: ExecutablePlace,
): AgentFiles {
  const config = `gateway_url = ${JSON.stringify(target.url)}\ngateway_address = ${JSON.stringify(target.address)}\n`
  const certificate = target.rootCertificate
  const unitFor = (digest: string): string => unit(executableFile(place), digest)
  const digest = sha256([config, certificate, unitFor(''), executableSha256].map(sha256).join('\n'))
  return { config, certificate, unit: unitFor(digest), digest }
}

// The kernel calls that JavaScript engines need to make code at run time rule out MemoryDenyWriteExecute.
const unit = (executable: string, digest: string): string => `[Unit]
Description=Fleet agent
Wants=network-online.target
After=network-online.target wg-quick@fleet.service
# An agent that cannot start yet tries for ever: its secret may come later.
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${executable} node-agent --configuration=${digest}
Restart=always
RestartSec=2
TimeoutStopSec=10
RuntimeDirectory=fleet-agent
RuntimeDirectoryMode=0700
RuntimeDirectoryPreserve=yes
UMask=0077
CapabilityBoundingSet=
AmbientCapabilities=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
MemoryMax=256M
# A reading that takes too much ends; the agent goes on.
OOMPolicy=continue
TasksMax=64

[Install]
WantedBy=multi-user.target
`
