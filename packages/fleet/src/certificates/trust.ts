import { createHash } from 'node:crypto'
import { fail } from '@fleet/contract'
import { answerOf } from '#/certificates/commands/answers.ts'
import { distrustRoot, trustRoot } from '#/certificates/commands/trust.ts'
import { identityOf, type Machine } from '#/nodes/api.ts'

const STORE_SECONDS = 120

export async function installTrust(
  root: string,
  machine: Machine,
  certificate: string,
): Promise<'installed' | 'unchanged'> {
  const sha256 = createHash('sha256').update(certificate).digest('hex')
  const result = await machine.asRoot(trustRoot(root, certificate, sha256), { timeoutSeconds: STORE_SECONDS })
  const trusted = answerOf(machine, result, 'certificate.trust_failed').get('trusted')?.toString()
  if (trusted === 'installed' || trusted === 'unchanged') return trusted
  throw fail('certificate.trust_failed', { details: { node: identityOf(machine.node) } })
}

export async function removeTrust(root: string, machine: Machine): Promise<void> {
  const result = await machine.asRoot(distrustRoot(root), { timeoutSeconds: STORE_SECONDS })
  answerOf(machine, result, 'certificate.trust_failed')
}
