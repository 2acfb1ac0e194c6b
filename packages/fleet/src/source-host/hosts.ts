import { fail, type GitHostData } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import { type HostKey, scanHostKeys, SshFailure } from '@fleet/ssh'
import type { Store } from '@fleet/store'
import { knownHostName, type SshAddress } from '#/source-host/address.ts'
import {
  deleteHostKeys,
  type HostKeyRow,
  hostKeysOf,
  insertHostKeys,
  listHostKeys,
} from '#/source-host/queries.ts'

export interface HostsDeps {
  readonly store: Store
  readonly clock: Clock
}

const SCAN_MILLISECONDS = 10_000

/** A Git host with its recorded keys, at least one. */
export interface KnownHost {
  readonly data: GitHostData
  /** Lines of `known_hosts`. */
  readonly lines: readonly string[]
}

/** The recorded keys of a host; those that it presents when there are none yet. Throws `git.host_unreachable`. */
export async function knownHost(deps: HostsDeps, address: SshAddress): Promise<KnownHost> {
  const { db } = deps.store
  const known = await hostKeysOf(db, address)
  if (known.length > 0) return hostOf(address, known)
  await insertHostKeys(db, rowsOf(deps, address, await presentedBy(deps, address), 'first_use'))
  return hostOf(address, await hostKeysOf(db, address))
}

/** The recorded keys without asking anybody; there may be none. */
export const recordedHost = async (
  { store }: Pick<HostsDeps, 'store'>,
  address: SshAddress,
): Promise<GitHostData> => dataOf(address, await hostKeysOf(store.db, address))

/**
 * Records the key with the fingerprint in the place of all others, or, without one, what an unknown host presents. Throws
 * `git.host_key_mismatch`, `git.host_key_changed` and `git.host_unreachable`.
 */
export async function trustHost(
  deps: HostsDeps,
  address: SshAddress,
  fingerprint: string | undefined,
): Promise<{ readonly data: GitHostData; readonly created: boolean }> {
  const { store } = deps
  const known = await hostKeysOf(store.db, address)
  const isGiven = known.some((key) => key.fingerprint === fingerprint && key.trust === 'given')
  if (isGiven) return { data: dataOf(address, known), created: false }
  const presented = await presentedBy(deps, address)
  if (fingerprint === undefined && known.length > 0) {
    requireSame(address, known, presented)
    return { data: dataOf(address, known), created: false }
  }
  const chosen = presented.filter((key) => fingerprint === undefined || key.fingerprint === fingerprint)
  if (chosen.length === 0)
    throw fail('git.host_key_mismatch', { details: { ...address, presented: fingerprintsOf(presented) } })
  const rows = rowsOf(deps, address, chosen, fingerprint === undefined ? 'first_use' : 'given')
  await store.transaction(async (db) => {
    if (fingerprint !== undefined) await deleteHostKeys(db, address)
    await insertHostKeys(db, rows)
  })
  return { data: dataOf(address, await hostKeysOf(store.db, address)), created: known.length === 0 }
}

/** All recorded hosts, by host and port. */
export async function listHosts({ db }: Pick<Store, 'db'>): Promise<readonly GitHostData[]> {
  const byName = Map.groupBy(await listHostKeys(db), knownHostName)
  return [...byName.values()].flatMap((rows) => (rows[0] ? [dataOf(rows[0], rows)] : []))
}

/** What is thrown where Git found another key than the recorded ones. */
export const hostKeyChanged = ({ host, port, keys }: GitHostData): Error =>
  fail('git.host_key_changed', {
    message: `The SSH host key of ${knownHostName({ host, port })} is not the recorded one, so nothing was sent to it. If its operator announced a new key, run \`fleet git-host:trust ${host}${port === 22 ? '' : ` --port ${port}`} --fingerprint FINGERPRINT\` with the announced fingerprint.`,
    details: { host, port, recorded: fingerprintsOf(keys) },
  })

function requireSame(address: SshAddress, known: readonly HostKeyRow[], presented: readonly HostKey[]): void {
  const fingerprints = fingerprintsOf(presented)
  if (known.some(({ fingerprint }) => fingerprints.includes(fingerprint))) return
  throw hostKeyChanged(dataOf(address, known))
}

async function presentedBy({ clock }: HostsDeps, address: SshAddress): Promise<readonly HostKey[]> {
  try {
    return await scanHostKeys(address, { clock, timeoutMilliseconds: SCAN_MILLISECONDS })
  } catch (error) {
    if (!(error instanceof SshFailure)) throw error
    throw fail('git.host_unreachable', {
      message: `No SSH server answers the gateway at ${knownHostName(address)}, so its host keys cannot be read.`,
      details: { ...address },
      cause: error,
    })
  }
}

const rowsOf = (
  { clock }: HostsDeps,
  { host, port }: SshAddress,
  keys: readonly HostKey[],
  trust: HostKeyRow['trust'],
) =>
  keys.map(({ type, key, fingerprint }) => ({
    host,
    port,
    type,
    public_key: key,
    fingerprint,
    trust,
    recorded_at: clock.now().toISOString(),
  }))

const hostOf = (address: SshAddress, rows: readonly HostKeyRow[]): KnownHost => ({
  data: dataOf(address, rows),
  lines: rows.map(({ type, public_key }) => `${knownHostName(address)} ${type} ${public_key}`),
})

const dataOf = ({ host, port }: SshAddress, rows: readonly HostKeyRow[]): GitHostData => ({
  host,
  port,
  keys: rows.map(({ type, fingerprint, trust, recorded_at }) => ({ type, fingerprint, trust, recorded_at })),
})

const fingerprintsOf = (keys: ReadonlyArray<{ readonly fingerprint: string }>): readonly string[] =>
  keys.map(({ fingerprint }) => fingerprint)
