import { randomBytes } from 'node:crypto'
import { ClientError, usage } from '#/exit.ts'
import type { LocalRun } from '#/local/local-run.ts'
import { resolveNames } from '#/names.ts'
import { makeFilter } from './feed-filter.ts'
import { type FeedNews, followFeed } from './follow-feed.ts'
import { type GatewayLink, linkOf } from './gateway-link.ts'
import { feedText, type Report } from './feed-text.ts'
import { timeLimit } from './time-limit.ts'

/** `fleet feed`: what happens in the fleet, as it happens, until it is interrupted or has shown enough. */
export const runFeed: LocalRun = async (context, invocation, members) => {
  const { clock, terminal, newRequestId } = context
  const most = mostOf(members['count'])
  const link = await linkOf(context, invocation)
  const node = await nodeOf(link, invocation.command, members)
  const types = Array.isArray(members['type']) ? members['type'].map(String) : []
  const isWanted = makeFilter({
    types,
    node,
    activities: members['activities'] === true,
    known: context.tree.events,
  })
  const enough = new AbortController()
  const say = feedText({ json: invocation.globals.json, gateway: link.name, terminal, clock })
  let shown = 0
  const report = (news: FeedNews): void => {
    if (shown >= most || (news.kind === 'event' && !isWanted(news.event))) return
    print(say(news), terminal)
    if (news.kind !== 'event') return
    shown += 1
    if (shown >= most) enough.abort()
  }
  using limit = timeLimit(context, invocation)
  const signal = AbortSignal.any([limit.signal, enough.signal])
  await followFeed(
    { ...link, open: () => link.open(signal) },
    {
      clock,
      signal,
      newRequestId,
      chance: randomBytes,
      report,
    },
  )
  // Whoever waits for events learns that they did not come; without a number, the time was all that was asked for.
  if (shown < most && Number.isFinite(most) && !context.signal.aborted)
    throw new ClientError('realtime.timed_out', tooFew(shown, most, invocation.globals.timeoutSeconds))
}

const tooFew = (shown: number, most: number, seconds: number | undefined): string =>
  shown === 0
    ? `No such event came within ${seconds} s.`
    : `Only ${shown} of ${most} events came within ${seconds} s.`

function mostOf(count: unknown): number {
  if (typeof count !== 'number') return Number.POSITIVE_INFINITY
  if (count < 1) throw usage('--count must be at least 1.')
  return count
}

const print = (
  { out, err }: Report,
  terminal: { out(text: string): void; err(text: string): void },
): void => {
  if (out !== undefined) terminal.out(`${out}\n`)
  if (err !== undefined) terminal.err(`${err}\n`)
}

/** The id of the Node that was named. */
async function nodeOf(
  link: GatewayLink,
  { options }: Parameters<LocalRun>[1]['command'],
  members: Readonly<Record<string, unknown>>,
): Promise<number | undefined> {
  const named = { ...members }
  await resolveNames(named, options, (operation) => link.ask(operation), link.ask)
  return typeof named['node'] === 'number' ? named['node'] : undefined
}
