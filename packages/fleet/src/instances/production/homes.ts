import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { withDetails } from '#/error-details.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'
import { findHome, type HomeRequest, makeHome } from './make-home.ts'

/** A Unix user with its home. */
export interface Account {
  readonly user: string
  readonly home: string
}

/** Unix users of production Instances. */
export interface ProductionHomes {
  /** The account that an Instance of this name gets on the Node: always the same one. */
  accountFor(node: NodeRecord, slug: string, name: string): Account
  /** Throws `instance.production_placement_conflict` for an account that is there already. */
  requireFree(session: NodeSession, account: Account): Promise<void>
  /** May be repeated. Throws `instance.production_placement_conflict` for an account of somebody else's. */
  ensure(session: NodeSession, request: HomeRequest): Promise<void>
}

export const makeProductionHomes = (): ProductionHomes => ({
  accountFor: (_node, slug, name) => {
    const user = userFor(slug, name)
    return { user, home: posix.join('/home', user) }
  },
  requireFree: (session, account) => naming(account, () => session.ask(findHome, account)),
  ensure: (session, request) => naming(request, () => session.ask(makeHome, request)),
})

/** Whoever removes them has to know which. */
async function naming({ user, home }: Account, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw withDetails(error, { user, home }, 'instance.clone_failed')
  }
}

/** Linux takes 32 characters. */
const MAX_LENGTH = 32
const DIGEST_LENGTH = 8

/** `<slug>-<name>` where that is a name of a Unix user; otherwise shortened, and told apart by a digest. */
export function userFor(slug: string, name: string): string {
  const plain = `${slug}-${name}`
  if (/^[a-z][a-z0-9-]*$/.test(plain) && plain.length <= MAX_LENGTH) return plain
  const digest = createHash('sha256').update(`${slug}\n${name}`).digest('hex').slice(0, DIGEST_LENGTH)
  const start = `app-${plain.replaceAll(/[^a-z0-9]+/g, '-')}`.slice(0, MAX_LENGTH - DIGEST_LENGTH - 1)
  return `${start}-${digest}`
}
