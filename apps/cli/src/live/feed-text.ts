import type { Clock } from '@fleet/kernel'
import type { Terminal } from '#/terminal.ts'
import { eventLine } from './event-line.ts'
import type { FeedNews } from './follow-feed.ts'

/** Lines to print: the feed itself, and what is said about it. */
export interface Report {
  readonly out?: string
  readonly err?: string
}

interface TextDeps {
  readonly json: boolean
  readonly gateway: string
  readonly terminal: Pick<Terminal, 'outColors'>
  readonly clock: Clock
}

/**
 * News as text. With `--json` every line of the answer is JSON: events as they arrived, and this client's own lines, whose
 * types begin with `feed.`; so a program that reads them knows when it may have missed something.
 */
export const feedText =
  ({ json, gateway, terminal, clock }: TextDeps) =>
  (news: FeedNews): Report => {
    if (news.kind === 'event')
      return { out: json ? JSON.stringify(news.event) : eventLine(news.event, terminal.outColors) }
    if (!json) return { err: sentence(news, gateway) }
    const { kind, ...data } = news
    const at = clock.now().toISOString()
    return { out: JSON.stringify({ type: `feed.${kind}`, at, data: 'missed' in data ? data.missed : data }) }
  }

function sentence(news: Exclude<FeedNews, { kind: 'event' }>, gateway: string): string {
  switch (news.kind) {
    case 'connected':
      return news.again
        ? 'Connected again. Events in between were not shown.'
        : `Following the feed of the gateway ${gateway}. Press Ctrl-C to stop.`
    case 'lost':
      return `The connection to the feed was lost: ${news.reason}. Retrying in ${news.retrySeconds} s.`
    case 'silent':
      return 'The gateway did not publish a request of this client within 10 s: until it does, events may be missing.'
    case 'missed': {
      const { from, to } = news.missed
      const many = to - from + 1
      return many === 1
        ? `An event was lost (number ${from}). Read the records again.`
        : `${many} events were lost (numbers ${from} to ${to}). Read the records again.`
    }
  }
}
