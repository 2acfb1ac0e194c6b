import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { startAgent } from '@fleet/agent/start'
import type { RunningGateway } from '@fleet/gateway'
import { Secret } from '@fleet/kernel'

const SECRET_BYTES = 32

/** A secret of one run: the gateway's record has its digest, and nothing else holds it but the agent. */
export interface AgentSecret {
  readonly secret: Secret
  readonly hash: string
}

export function newAgentSecret(): AgentSecret {
  const text = randomBytes(SECRET_BYTES).toString('hex')
  return { secret: new Secret(text), hash: createHash('sha256').update(text).digest('hex') }
}

export interface AgentsOptions {
  readonly gateway: Pick<RunningGateway, 'urls' | 'caFile'>
  /** Each speaks from the address of its Node, which is who the gateway takes it for. */
  readonly agents: ReadonlyArray<{ readonly address: string; readonly secret: Secret }>
}

/** The agent of every Node, in this process and without root. */
export function startAgents({ gateway, agents }: AgentsOptions): AsyncDisposable {
  const gatewayUrl = new URL(gateway.urls[0] ?? '')
  const rootCertificate = readFileSync(gateway.caFile, 'utf8')
  const running = agents.map(({ address, secret }) =>
    startAgent(
      { gatewayUrl, gatewayAddress: gatewayUrl.hostname, rootCertificate, secret, localAddress: address },
      // What the person sees is `fleet top`; Doctor and the gateway's log say the rest.
      () => undefined,
    ),
  )
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(running.map((agent) => agent.stop()))
    },
  }
}
