import { installOn } from '#/dns/install.ts'
import type { DnsDeps } from '#/dns/deps.ts'
import { publishOn } from '#/dns/publish.ts'
import { codeDigest } from '#/dns/service/release.ts'
import type { NodeArtifact, NodeRecord } from '#/nodes/api.ts'

/** Applied again when the listener or its units differ in this release of the gateway (NODE-120, NODE-121). */
export const makeArtifact = (deps: DnsDeps): NodeArtifact => ({
  name: 'private-dns',
  digest: async (node) => {
    if (!servesDns(node)) return undefined
    const executable = await deps.executables.find(node.architecture ?? '')
    return executable && codeDigest({ address: node.wireguard_ip ?? '', program: executable.sha256 })
  },
  converge: async (session, options) => {
    const result = await installOn(deps, session, options)
    await publishOn(deps, session)
    return result
  },
})

/** Also on the gateway's own machine: there as elsewhere the listener comes from this release. */
const servesDns = (node: NodeRecord): boolean =>
  node.wireguard_ip !== null && node.activeRoles.includes('vpn')
