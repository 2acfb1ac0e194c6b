import { systemClock } from '@fleet/kernel'
import { announce } from './announcement.ts'
import { type EmbeddedEnv, readEnv } from './env.ts'
import { type RunningFleet, startFleet } from './fleet.ts'
import { StartRefused } from './refusal.ts'
import { showFleet } from './sample/show.ts'
import { makeScreen } from './screen.ts'
import { onStop } from './signals.ts'

// A reader that has gone, such as `head` or a closed terminal, takes nothing but the text with it.
process.stdout.on('error', () => undefined)
const screen = makeScreen(process.stdout)
const env = readEnv()
const stopping = onStop(systemClock)
screen.line(
  `Fleet: gateway, Nodes with their agents and a Git server in one process. All its data is in ${env.home}`,
)
const fleet = await startOrExit(env)
if (!stopping.aborted) {
  await showFleet(fleet, env, screen, stopping)
  announceReady(fleet)
}
stopping.addEventListener('abort', () => void stopAndExit(fleet), { once: true })
if (stopping.aborted) await stopAndExit(fleet)

async function startOrExit(given: EmbeddedEnv): Promise<RunningFleet> {
  try {
    return await startFleet(given)
  } catch (error) {
    // A refusal says what to do; anything else is a defect, whose stack helps whoever mends it.
    console.error(error instanceof StartRefused ? error.message : error)
    return process.exit(1)
  }
}

function announceReady({ home, baseUrl, caFile, nodes, websocket }: RunningFleet): void {
  if (stopping.aborted) return
  announce(home.path, { base_url: baseUrl, ca_file: caFile, websocket, nodes, pid: process.pid })
  screen.line(`ready ${baseUrl}`)
}

async function stopAndExit(running: RunningFleet): Promise<never> {
  screen.line('Stopping: waiting for requests in progress. Press Ctrl-C again to stop now.')
  await running.stop()
  return process.exit(0)
}
