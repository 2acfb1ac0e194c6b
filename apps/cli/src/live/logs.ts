import { randomBytes } from 'node:crypto'
import { ApiError } from '@fleet/sdk/core'
import { backoff, ConnectionFailure } from '@fleet/pusher-client'
import { ClientError, EXIT } from '#/exit.ts'
import type { LocalRun } from '#/local/local-run.ts'
import { resolveNames } from '#/names.ts'
import { asClientError, linkOf, reasonOf } from './gateway-link.ts'
import { readInstead } from './log-read.ts'
import { type LogNews, readLog } from './log-stream.ts'
import { endings, logText, NO_ACCESS, unavailable } from './log-text.ts'
import { timeLimit } from './time-limit.ts'

/** Ends after which another stream may work: the machine or the server was away for a while. */
const PASSING = new Set(['agent_left', 'relay_behind', 'expired', 'connection'])

/** `fleet instance:logs`: the last lines of the log, and with `--follow` those that come. */
export const runInstanceLogs: LocalRun = async (context, invocation, members) => {
  const { clock, terminal } = context
  using limit = timeLimit(context, invocation)
  const { signal } = limit
  const link = await linkOf(context, invocation)
  const { command, globals } = invocation
  const named = { ...members }
  await resolveNames(
    named,
    [...command.arguments, ...command.options],
    (operation) => link.ask(operation),
    link.ask,
  )
  const follow = named['follow'] === true
  const say = logText({ json: globals.json, terminal })
  const wish = {
    family: 'instance',
    record: named['instance'],
    lines: typeof named['lines'] === 'number' ? named['lines'] : 100,
    follow,
  } as const
  let isEmpty = true
  const report = (news: LogNews): void => {
    if (news.kind === 'lines' && news.lines.length > 0) isEmpty = false
    const { out, err } = say(news)
    if (out !== undefined) terminal.out(out)
    if (err !== undefined) terminal.err(err)
  }
  let opened = false
  for (let failures = 0; !signal.aborted; failures += 1) {
    let ended: string
    try {
      ended = await readLog(link, { clock, signal }, wish, (news) => {
        opened = true
        failures = 0
        report(news)
      })
      opened = true
    } catch (error) {
      if (signal.aborted) return
      if (!opened) {
        const reason = unavailable(error) ?? asClientError(error)
        if (!isReadable(error)) throw reason
        // Without --follow nobody needs to know which way the lines came.
        if (follow) report({ kind: 'trouble', text: `${reasonOf(reason)}. Reading it every 5 s instead` })
        await readInstead(link, { clock, signal }, wish, report)
        if (isEmpty && !signal.aborted) report({ kind: 'empty' })
        return
      }
      if (error instanceof ApiError && error.status < 500 && error.code !== 'logs.live_unavailable')
        throw error
      ended = 'connection'
      report({ kind: 'trouble', text: reasonOf(unavailable(error) ?? error) })
    }
    if (!follow && isEmpty && !signal.aborted) report({ kind: 'empty' })
    if (!follow || ended === 'closed' || signal.aborted) return
    if (ended === 'source_unavailable' && isEmpty) {
      // What no application has written yet is no source for the agent.
      report({ kind: 'trouble', text: 'There is no log yet. Reading it every 5 s instead' })
      return await readInstead(link, { clock, signal }, wish, report)
    }
    if (!PASSING.has(ended))
      throw new ClientError(`logs.${ended}`, endings[ended] ?? `The log ended: ${ended}.`, {
        exit: EXIT.refused,
      })
    const pause = backoff(failures, { bytes: randomBytes })
    report({ kind: 'again', reason: ended, seconds: Math.round(pause / 1000) })
    await clock.sleep(pause, signal)
  }
}

const READABLE = new Set(['logs.live_unavailable', NO_ACCESS])

/** The live way is closed, and the plain one may be open: no stream to be had, nobody serves the feed, no way to who does, or no grant on the gateway. */
const isReadable = (error: unknown): boolean =>
  error instanceof ConnectionFailure ||
  (error instanceof ApiError && READABLE.has(error.code)) ||
  (error instanceof ClientError && error.code === 'realtime.not_configured')
