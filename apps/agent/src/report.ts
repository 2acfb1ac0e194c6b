import { parseArgs } from 'node:util'
import { systemClock } from '@fleet/kernel'
import { CannotRun, EXIT } from '@fleet/node-program'
import { readConfiguration } from './files.ts'
import { GatewayFailure, makeGateway, type RunReports } from './gateway.ts'

const HOME = '/etc/fleet/agent'
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export interface ReportDeps {
  gateway(home: string): RunReports
  readonly say: (line: string) => void
  readonly signal: AbortSignal
}

/** `fleet node-report`: reports the end of a Schedule's run to the gateway, once, and answers the exit status. */
export const main = (words: readonly string[]): Promise<number> =>
  report(words, {
    gateway: (home) => makeGateway(readConfiguration(home), systemClock),
    say: (line) => console.error(line),
    signal: AbortSignal.timeout(LIMIT_MILLISECONDS),
  })

/** A unit that ends waits for it. */
const LIMIT_MILLISECONDS = 20_000

/** `--result` is that of systemd: `success`, or why the service failed. A report that fails is lost (SCHD-023). */
export async function report(words: readonly string[], deps: ReportDeps): Promise<number> {
  try {
    const { home, result, schedule } = readWords(words)
    await deps.gateway(home).complete(schedule, result === 'success' ? 'success' : 'error', deps.signal)
    return 0
  } catch (error) {
    if (!(error instanceof CannotRun) && !(error instanceof GatewayFailure)) throw error
    deps.say(`fleet: the run was not reported: ${error.message}`)
    return error instanceof CannotRun ? error.exitStatus : EXIT.unavailable
  }
}

function readWords(words: readonly string[]) {
  const { values, positionals } = parsed(words)
  const [schedule, ...others] = positionals
  if (schedule === undefined || others.length > 0 || !UUID.test(schedule) || values.result === undefined)
    throw new CannotRun(USAGE, EXIT.usage)
  return { home: values.home, result: values.result, schedule }
}

const USAGE = 'a report takes --result, --home and the id of a Schedule'

function parsed(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: { home: { type: 'string', default: HOME }, result: { type: 'string' } },
      allowPositionals: true,
    })
  } catch (error) {
    throw new CannotRun(USAGE, EXIT.usage, error)
  }
}
