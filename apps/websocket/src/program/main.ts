import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, systemClock } from '@fleet/kernel'
import { CannotRun, EXIT, readArguments } from '@fleet/node-program'
import { type Logger, pino } from 'pino'
import { fleetApp } from '#/fleet-app.ts'
import { type RunningWebsocket, startWebsocket } from '#/server.ts'
import { keepYoungGenerationSmall } from '#/young-generation.ts'
import { type Configuration, readConfiguration, readIdentity } from './files.ts'

const PROGRAM = { program: 'websocket', title: 'the server' } as const

export interface MainDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Ends the server: its clients are sent away first. */
  readonly signal: AbortSignal
  /** Calls when the certificate may have changed. */
  readonly onReload: (reload: () => void) => void
}

/** `fleet node-websocket`: serves until SIGTERM or SIGINT, and reads its certificate again at SIGHUP. Answers the exit status. */
export async function main(words: readonly string[]): Promise<number> {
  keepYoungGenerationSmall()
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort())
  // Heard from the first moment: the signal would end a process that does not listen for it.
  let reload = (): void => undefined
  process.on('SIGHUP', () => reload())
  const log = pino({ base: null, timestamp: false }, pino.destination({ dest: 2, sync: true }))
  return runServer(words, {
    clock: systemClock,
    log,
    signal: stop.signal,
    onReload: (given) => void (reload = given),
  })
}

/** A server that cannot run ends at once and says why; its unit starts it again. The socket is the lock: there is one. */
export async function runServer(words: readonly string[], deps: MainDeps): Promise<number> {
  try {
    const { home, runtime, configuration } = readArguments(words, PROGRAM)
    const settings = readConfiguration(home)
    const server = await serve(settings, deps)
    deps.onReload(() => renew(server, settings, deps.log))
    // In memory: the gateway's converge waits for this line and compares it.
    const ready = join(runtime, 'ready')
    writeFileSync(ready, `${process.pid} ${configuration}\n`, { mode: 0o644 })
    await aborted(deps.signal)
    rmSync(ready, { force: true })
    await server.stop()
    return 0
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error
    deps.log.error(error.message)
    return error.exitStatus
  }
}

async function serve(
  { address, port, certificate, origins, app }: Configuration,
  { clock, log }: MainDeps,
): Promise<RunningWebsocket> {
  const tls = readIdentity(certificate)
  try {
    const apps = [fleetApp(app)]
    return await startWebsocket({ address, port, tls, apps, origins, clock, log })
  } catch (error) {
    const { code } = error as { readonly code?: unknown } // Errors of listening have codes of the system.
    if (code === 'EADDRINUSE')
      throw new CannotRun('another server is using the address', EXIT.alreadyRunning, error)
    throw new CannotRun('the server cannot listen on its address', EXIT.unavailable, error)
  }
}

/** New clients get the new certificate; an invalid one leaves the previous one in use. */
function renew(server: RunningWebsocket, { certificate }: Configuration, log: Logger): void {
  try {
    server.renew(readIdentity(certificate))
    log.info('the certificate was read again')
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error
    log.warn(`${error.message}; the previous one remains in use`)
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
