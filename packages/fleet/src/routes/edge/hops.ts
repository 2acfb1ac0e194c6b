import { fail } from '@fleet/contract'
import { identityOf, type NodeSession } from '#/nodes/api.ts'
import { verifyHops } from '#/routes/edge/commands/verify-hops.ts'
import { ROOT_FILE } from '#/web-server/api.ts'

export interface Hops {
  readonly domain: string
  /** Of the servers; their port is that of HTTPS. */
  readonly addresses: readonly string[]
}

/** Whether one Node reaches others as a site that leads to them would. */
export interface PrivatePaths {
  /** One round trip, none without an address. Throws `route.private_path_failed` with Node and server (RTX-053). */
  verify(session: NodeSession, hops: Hops): Promise<void>
}

const HTTPS = 443

export const privatePaths: PrivatePaths = {
  verify: async (session, { domain, addresses }) => {
    if (addresses.length === 0) return
    const servers = addresses.map((address) => `${address.includes(':') ? `[${address}]` : address}:${HTTPS}`)
    const server = await session.ask(verifyHops, { root: ROOT_FILE, domain, servers })
    if (server !== undefined)
      throw fail('route.private_path_failed', {
        details: { node: identityOf(session.node), domain, server },
      })
  },
}
