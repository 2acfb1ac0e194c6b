import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'

/** A leaf of a throw-away authority for 127.0.0.1, as the files that every server of a run reads. */
export async function makeIdentity(home: string): Promise<void> {
  const root = await ensureRoot({ directory: join(home, 'ca'), clock: systemClock, name: 'Bench root' })
  const { certificate, key } = await issueLeaf(root, {
    clock: systemClock,
    names: [],
    addresses: ['127.0.0.1'],
  })
  writeFileSync(join(home, 'leaf.crt'), certificate)
  writeFileSync(join(home, 'leaf.key'), key.reveal(), { mode: 0o600 })
}

export const identityOf = (home: string): { readonly certificate: string; readonly key: string } => ({
  certificate: readFileSync(join(home, 'leaf.crt'), 'utf8'),
  key: readFileSync(join(home, 'leaf.key'), 'utf8'),
})
