import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureLeaf, judgeLeaf } from '@fleet/pki'
import type { Certificates, PublishedLeaf } from '#/certificates/certificates.ts'
import type { LeafDeps } from '#/certificates/leaf.ts'
import type { LocalCertificates } from '#/certificates/ports.ts'
import { rootCertificateOf, signingRootOf } from '#/certificates/root.ts'
import type { NodeRecord } from '#/nodes/api.ts'

/** What is done with leaves on a Node, whichever kind of Node it is. */
export type Leaves = Pick<
  Certificates,
  'publishLeaves' | 'confirmLoaded' | 'loadWaiting' | 'isLeafDue' | 'withdrawLeaf'
>
type Deps = Pick<LeafDeps, 'clock' | 'caDirectory'>

const NAME = 'leaf'

/** Where a leaf of this scope is in the folder of an embedded Node. */
export const localLeafFile = (folder: string, scope: string): string => join(folder, scope, `${NAME}.pem`)

/** Leaves of embedded Nodes are files of this process; those of all others are what they were. */
export function withLocalLeaves(elsewhere: Leaves, deps: Deps, local: LocalCertificates): Leaves {
  const folderOf = ({ wireguard_ip }: NodeRecord): string | undefined =>
    wireguard_ip === null ? undefined : local.certificatesOf(wireguard_ip)
  // Addresses of servers that were not told of a leaf yet. They start with this process, and have all of an earlier one.
  const waiting = new Set<string>()
  return {
    publishLeaves: async (session, leaves) => {
      const folder = folderOf(session.node)
      if (folder === undefined) return elsewhere.publishLeaves(session, leaves)
      const due = leaves.filter((leaf) => isDue(deps, folder, leaf))
      const address = session.node.wireguard_ip ?? ''
      for (const { scope, names, addresses, isLoadedLater, reload } of due) {
        const { clock, caDirectory } = deps
        const root = signingRootOf(caDirectory, clock.now())
        await ensureLeaf({ directory: join(folder, scope), name: NAME, root, clock, names, addresses })
        if (isLoadedLater) waiting.add(address)
        else if (reload !== undefined) await local.reload(address)
      }
      return due
    },
    confirmLoaded: async (session, leaves) => {
      if (folderOf(session.node) === undefined) return elsewhere.confirmLoaded(session, leaves)
      if (leaves.length > 0) waiting.delete(session.node.wireguard_ip ?? '')
    },
    loadWaiting: async (session, leaves) => {
      if (folderOf(session.node) === undefined) return elsewhere.loadWaiting(session, leaves)
      const address = session.node.wireguard_ip ?? ''
      if (leaves.length === 0 || !waiting.has(address)) return
      await local.reload(address)
      waiting.delete(address)
    },
    isLeafDue: async (session, leaf) => {
      const folder = folderOf(session.node)
      return folder === undefined ? elsewhere.isLeafDue(session, leaf) : isDue(deps, folder, leaf)
    },
    withdrawLeaf: async (session, leaf) => {
      const folder = folderOf(session.node)
      if (folder === undefined) return elsewhere.withdrawLeaf(session, leaf)
      rmSync(join(folder, leaf.scope), { recursive: true, force: true })
    },
  }
}

function isDue(
  { clock, caDirectory }: Deps,
  folder: string,
  { scope, names, addresses }: PublishedLeaf,
): boolean {
  try {
    const certificate = readFileSync(localLeafFile(folder, scope), 'utf8')
    const root = rootCertificateOf(caDirectory)
    return judgeLeaf(certificate, { root, now: clock.now(), names, addresses }).verdict !== 'good'
  } catch {
    return true
  }
}
