import { join } from 'node:path'
import type { Clock } from '@fleet/kernel'
import { ensureRoot, makeFile } from '@fleet/pki'
import { generateSshKey } from '@fleet/ssh'

/** What the Nodes of a gateway trust, in its home: for records that have Nodes before the gateway starts for the first time. */
export async function makeHomeIdentity(home: string, clock: Clock): Promise<void> {
  await ensureRoot({ directory: join(home, 'ca'), clock, name: 'Fleet root' })
  makeFile(join(home, 'ssh', 'id_ed25519'), generateSshKey().privateKey.reveal(), 0o600)
}
