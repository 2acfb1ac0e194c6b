import type { AgentTarget } from '#/agents/ports.ts'
import { EXECUTABLE_FILE, HARDENED, sha256 } from '#/managed-services/api.ts'

/** All files but the secret, which is made on the way to the Node. */
export interface AgentFiles {
  readonly config: string
  readonly certificate: string
  readonly unit: string
  /** Of everything that the agent must be restarted for, its secret aside; a running agent says with which one it began. */
  readonly digest: string
}

export function renderAgent(target: AgentTarget, executableSha256: string): AgentFiles {
  const config = `gateway_url = ${JSON.stringify(target.url)}\ngateway_address = ${JSON.stringify(target.address)}\n`
  const certificate = target.rootCertificate
  const digest = sha256([config, certificate, unit(''), executableSha256].map(sha256).join('\n'))
  return { config, certificate, unit: unit(digest), digest }
}

const unit = (digest: string): string => `[Unit]
Description=Fleet agent
Wants=network-online.target
After=network-online.target wg-quick@fleet.service
# An agent that cannot start yet tries for ever: its secret may come later.
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${EXECUTABLE_FILE} node-agent --configuration=${digest}
Restart=always
RestartSec=2
TimeoutStopSec=10
RuntimeDirectory=fleet-agent
RuntimeDirectoryMode=0700
RuntimeDirectoryPreserve=yes
UMask=0077
${HARDENED}ProtectHome=read-only
MemoryMax=256M
# A reading that takes too much ends; the agent continues.
OOMPolicy=continue
TasksMax=64

[Install]
WantedBy=multi-user.target
`
