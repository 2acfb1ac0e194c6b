import { createHash } from 'node:crypto'
import { distrustRoot, trustRoot } from '#/certificates/commands/trust.ts'
import type { NodeSession } from '#/nodes/api.ts'

export function installTrust(
  root: string,
  session: NodeSession,
  certificate: string,
): Promise<'installed' | 'unchanged'> {
  const sha256 = createHash('sha256').update(certificate).digest('hex')
  return session.ask(trustRoot, { root, certificate, sha256 })
}

export const removeTrust = (root: string, session: NodeSession): Promise<void> =>
  session.ask(distrustRoot, { root })
