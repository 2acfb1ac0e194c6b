import { createHash } from 'node:crypto'
import { distrustRoot, trustQuestion, trustRoot } from '#/certificates/commands/trust.ts'
import { asked, type FamilyChecks, nodeResource, type NodeSession } from '#/nodes/api.ts'

export function installTrust(
  root: string,
  session: NodeSession,
  certificate: string,
): Promise<'installed' | 'unchanged'> {
  return session.ask(trustRoot, { root, certificate, sha256: digestOf(certificate) })
}

export interface TrustCheckDeps {
  /** PEM of the root. */
  readonly certificate: () => string
  /** Private suffix of the fleet: without one the machines of the Nodes are somebody's own. */
  readonly suffix: () => Promise<string | undefined>
  readonly root: string
}

/** A managed Node whose system store lost the root refuses every private site (RTX-099). */
export const makeTrustChecks = ({ certificate, suffix, root }: TrustCheckDeps): FamilyChecks => ({
  family: 'node',
  checksOf: async (_call, node) => {
    if (node.platform !== 'linux' || node.ssh_host_fingerprint === null) return []
    if ((await suffix()) === undefined) return []
    return [
      asked('node.root_untrusted', nodeResource(node), trustQuestion(root), (trusted) => {
        if (trusted === digestOf(certificate())) return undefined
        return { expected: 'the root of the fleet', observed: trusted === '' ? 'none' : 'another root' }
      }),
    ]
  },
})

const digestOf = (certificate: string): string => createHash('sha256').update(certificate).digest('hex')

export const removeTrust = (root: string, session: NodeSession): Promise<void> =>
  session.ask(distrustRoot, { root })
