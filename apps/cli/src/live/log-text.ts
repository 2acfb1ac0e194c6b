import { ApiError } from '@fleet/sdk/core'
import { ClientError, EXIT } from '#/exit.ts'
import { printable } from '#/print/text.ts'
import type { Terminal } from '#/terminal.ts'
import type { LogNews } from './log-stream.ts'

/** Lines of the log on standard output, everything about them on standard error; with `--json` events and news as JSON lines. */
export const logText =
  ({ json, terminal }: { readonly json: boolean; readonly terminal: Pick<Terminal, 'outIsTerminal'> }) =>
  (news: LogNews): { readonly out?: string; readonly err?: string } => {
    if (news.kind !== 'lines')
      return json
        ? { out: `${JSON.stringify({ type: `logs.${news.kind}`, data: news })}\n` }
        : { err: sentence(news) }
    if (json) return { out: `${JSON.stringify(news.event)}\n` }
    // What a log holds must not steer a terminal; a file gets it letter by letter.
    const shown = terminal.outIsTerminal ? news.lines.map(printable) : news.lines
    return { out: shown.map((line) => `${line}\n`).join('') }
  }

function sentence(news: Exclude<LogNews, { kind: 'lines' }>): string {
  switch (news.kind) {
    case 'gap': {
      const parts = [
        ...(news.dropped > 0 ? [`${news.dropped} lines over the rate limit`] : []),
        ...(news.skipped > 0 ? [`${news.skipped} bytes that were not read in time`] : []),
      ]
      return `[skipped: ${parts.join('; ')}]\n`
    }
    case 'missed':
      return `[${news.messages} messages with lines were lost]\n`
    case 'empty':
      return '[no lines: the application has no log or has not written it yet, the log is empty, or a symbolic link leads to it, which is not followed. fleet process:list shows its Processes, fleet process:logs PROCESS what one prints]\n'
    case 'trouble':
      return `[${news.text}]\n`
    case 'again':
      return `[${endings[news.reason] ?? `The log ended: ${news.reason}.`} Retrying in ${news.seconds} s; lines may be repeated or missing.]\n`
  }
}

/** Why a log ended, by the reason that the gateway gives. */
export const endings: Readonly<Record<string, string>> = {
  expired: 'The stream was not renewed in time.',
  revoked: 'This Node no longer has access to the log.',
  agent_left: 'The agent of the Node disconnected.',
  source_unavailable: 'The log can no longer be read on the Node.',
  relay_behind: 'The log was written faster than the gateway could relay it.',
  connection: 'The connection ended.',
}

const REASONS: Readonly<Record<string, string>> = {
  ssh_only: 'it is a production Instance, whose log can only be read over SSH',
  realtime_not_configured: 'no Node has the role websocket',
  subscriber_down: 'the gateway has no connection to the WebSocket server',
  agent_unavailable: 'the agent of the Node is not connected',
  agent_not_joined: 'the agent of the Node has not joined its log channel yet',
}

/** Where the server of the feed is, the gateway says to those alone who have access to it. */
export const NO_ACCESS = 'node_access.required'

/** `logs.live_unavailable`, and a missing grant on the gateway, in words; undefined for any other error. */
export function unavailable(error: unknown): ClientError | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.code === NO_ACCESS)
    return new ClientError(
      error.code,
      'The log cannot be followed: this machine has no access to the gateway, which relays it.',
      { exit: EXIT.refused, cause: error },
    )
  if (error.code !== 'logs.live_unavailable') return undefined
  const reason = String(error.details?.['reason'])
  const words = REASONS[reason] ?? reason
  return new ClientError(error.code, `The log cannot be followed: ${words}.`, {
    exit: EXIT.refused,
    next: NEXT[reason] ?? 'Read the file on the Node; fleet instance:show prints the path of the checkout.',
    cause: error,
  })
}

const NEXT: Readonly<Record<string, string>> = {
  realtime_not_configured: 'Assign the role to a Node: fleet node:role:add NODE websocket',
  subscriber_down: 'Wait a moment, then try again; fleet doctor reports the cause.',
  agent_unavailable: 'Check whether the Node is online: fleet top',
  agent_not_joined: 'Wait a moment, then try again.',
}
