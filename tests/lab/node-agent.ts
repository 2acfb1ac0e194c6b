import type { AgentTarget, NodeAgent } from '@fleet/fleet'
import { readManifest, releaseExecutables } from '@fleet/gateway/release'
import type { Store } from '@fleet/store'
import { testDomains } from '@fleet/testing'
import { builtRelease } from './install.ts'

/** The agent of Nodes from a release of this checkout, for the gateway at the target. */
export async function nodeAgent(store: Store, target: AgentTarget): Promise<NodeAgent> {
  const folder = await builtRelease()
  const executables = releaseExecutables({ folder, manifest: readManifest(folder) })
  const agentGateway = { target: () => Promise.resolve(target) }
  return testDomains({ store, executables }, { agentGateway }).agents.agent
}
