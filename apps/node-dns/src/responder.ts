import type { Lookup } from '@fleet/dns'
import { parseQuery, type Query, RCODES, reply } from './message.ts'
import { isInternet, ownAnswer } from './own-answer.ts'

/** Asks the servers outside; undefined when they give no answer. */
export type Forward = (query: Query, requester: string) => Promise<Buffer | undefined>

/** The reply to a message, at once or later; undefined for one that gets none. Never throws. */
export type Respond = (
  message: Buffer,
  requester: string,
  forward: Forward,
) => Buffer | Promise<Buffer> | undefined

/** RTX-102, RTX-111, RTX-112: the fleet's names from the catalog, everything else from outside. */
export const makeRespond =
  (lookup: () => Lookup): Respond =>
  (message, requester, forward) => {
    const parsed = parseQuery(message)
    if (parsed.kind === 'ignored') return undefined
    if (parsed.kind === 'refused') return parsed.reply
    const { query } = parsed
    const owned = isInternet(query) ? lookup()(requester, query.name) : undefined
    return (owned && ownAnswer(query, owned)) ?? outside(query, requester, forward)
  }

const outside = async (query: Query, requester: string, forward: Forward): Promise<Buffer> =>
  (await forward(query, requester)) ?? reply(query, RCODES.serverFailure, {})
