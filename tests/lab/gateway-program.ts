// The real gateway with the Nodes of its one argument entered, as a process that a test may kill.
import type { NodeEntry } from '@fleet/fleet'
import { startGateway } from '@fleet/gateway'

/** What the process is reported. */
export interface Report {
  readonly home: string
  readonly address: string
  /** 0 for any that is free. */
  readonly port: number
  /** Authority that its own Git trusts. */
  readonly gitAuthority: string
  readonly nodes: readonly NodeEntry[]
}

/** What it says in one line when it listens. */
export interface Said {
  readonly url: string
  readonly caFile: string
  readonly sshPublicKey: string
  /** Ids of the Nodes, in order. */
  readonly ids: readonly number[]
}

async function main({ home, address, port, gitAuthority, nodes }: Report): Promise<Said> {
  const gateway = await startGateway({
    home,
    listen: [{ address, port }],
    names: ['gateway.fleet'],
    name: 'gateway',
    version: 'test',
    log: 'silent',
    gitEnvironment: { GIT_SSL_CAINFO: gitAuthority },
  })
  const ids: number[] = []
  for (const node of nodes) ids.push((await gateway.registry.put(node)).id)
  process.once('SIGTERM', () => void gateway.stop())
  return { url: gateway.urls[0] ?? '', caFile: gateway.caFile, sshPublicKey: gateway.sshPublicKey, ids }
}

if (import.meta.main) {
  const reported = JSON.parse(process.argv[2] ?? '{}') as Report // Written by gateway-process.ts.
  console.log(JSON.stringify(await main(reported)))
}
