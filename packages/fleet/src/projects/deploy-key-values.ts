import type { Clock, Secret } from '@fleet/kernel'
import { generateSshKey } from '@fleet/ssh'
import type { Store } from '@fleet/store'
import { deleteUnusedKeys, type DeployKeyRow, insertKey, keysOf, pendingKeyOf } from '#/projects/queries.ts'
import { keyLogin, type SourceHosts, type SourceLogin, sshAddressOf } from '#/source-host/api.ts'

interface Deps {
  readonly store: Store
  readonly clock: Clock
}

/** Whose key it is: a Project, or the repository of one that is to be created. */
type Owner = Pick<DeployKeyRow, 'project_id' | 'repository'>

const placeOf = (fingerprint: string) => ({ table: 'deploy_keys', column: 'private_key', row: fingerprint })

/** A pending key, its private part sealed. Where another request was faster, it has made one. */
export async function makeKey({ store, clock }: Deps, owner: Owner, slug: string): Promise<void> {
  const { privateKey, publicKey, fingerprint } = generateSshKey(`fleet-${slug}`)
  await insertKey(store.db, {
    ...owner,
    status: 'pending',
    private_key: store.cipher.seal(placeOf(fingerprint), privateKey),
    public_key: publicKey,
    fingerprint,
    created_at: clock.now().toISOString(),
  })
}

/** After it nobody adds the key of a creation that was refused to its Git host any more. */
const UNUSED_DAYS = 30

/** The pending key of a repository that no Project has yet, made when there is none. Those that were left behind go. */
export async function keyForRepository(deps: Deps, identity: string, slug: string): Promise<DeployKeyRow> {
  const { db } = deps.store
  const before = new Date(deps.clock.now().getTime() - UNUSED_DAYS * 86_400_000)
  await deleteUnusedKeys(db, before.toISOString())
  const known = await pendingKeyOf(db, identity)
  if (known) return known
  await makeKey(deps, { project_id: null, repository: identity }, slug)
  const made = await pendingKeyOf(db, identity)
  if (!made) throw new Error('a key that was stored is gone')
  return made
}

/** Undefined where the URL is not for SSH. */
export async function loginWith(
  { store, hosts }: { readonly store: Pick<Store, 'cipher'>; readonly hosts: SourceHosts },
  { fingerprint, private_key }: Pick<DeployKeyRow, 'fingerprint' | 'private_key'>,
  url: string,
): Promise<SourceLogin | undefined> {
  const address = sshAddressOf(url)
  if (!address) return undefined
  const privateKey: Secret = store.cipher.open(placeOf(fingerprint), private_key)
  return keyLogin(url, { privateKey, fingerprint }, await hosts.known(address))
}

/** The login with the active key of a Project; undefined without one. */
export async function activeLogin(
  deps: { readonly store: Store; readonly hosts: SourceHosts },
  projectId: number,
  url: string,
): Promise<SourceLogin | undefined> {
  const key = (await keysOf(deps.store.db, projectId)).find(({ status }) => status === 'active')
  return key && loginWith(deps, key, url)
}
