import { programOf, textFile } from '@fleet/shell'
import { fail } from '@fleet/contract'
import { identityOf, type NodeScript, type NodeSession } from '#/nodes/api.ts'
import { ROOT_FILE } from '#/web-server/api.ts'

/** Servers of a domain that a Node is to lead to. */
export interface Hops {
  readonly domain: string
  readonly addresses: readonly string[]
}

/** Whether one Node reaches others as a site that leads to them would. */
export interface PrivatePaths {
  /** One round trip, none without an address. Throws `route.private_path_failed` with Node and address (RTX-053). */
  verify(session: NodeSession, hops: Hops): Promise<void>
}

export const privatePaths: PrivatePaths = {
  verify: async (session, hops) => {
    if (hops.addresses.length === 0) return
    const failed = await session.ask(verifyHops, hops)
    if (failed !== undefined)
      throw fail('route.private_path_failed', {
        details: { node: identityOf(session.node), domain: hops.domain, address: failed },
      })
  },
}

/** Answers the first address that does not present a certificate of the fleet for the domain. */
export const verifyHops: NodeScript<Hops, string | undefined> = {
  source: programOf(textFile('verify-hops.sh', import.meta.url)),
  args: ({ domain, addresses }) => [ROOT_FILE, domain, ...addresses],
  timeoutSeconds: 120,
  reasons: {},
  broken: 'route.private_path_failed',
  read: (answer) => answer.text('failed') || undefined,
}
