import { type GatewayEnv, readEnv } from './env.ts'
import type { RunningGateway } from './gateway.ts'
import { optionsOf } from './options.ts'
import { reasonOf } from './reason.ts'
import type { InstalledRelease } from './release/installed-release.ts'
import { startGateway } from './start.ts'

/** Runs the gateway until a signal ends it. `version` is that of the release when the environment names none. */
export async function runProcess(version: string, release?: InstalledRelease): Promise<void> {
  const env = readEnv()
  const drainSeconds = env.FLEET_GATEWAY_RELEASE_SCHEDULER_DRAIN_SECONDS
  const gateway = await startOrExit(env, version, release)
  const stop = (seconds?: number): void => {
    void gateway.stop(seconds).then(() => process.exit(0))
  }
  process.once('SIGTERM', () => stop())
  process.once('SIGINT', () => stop())
  // An upgrade waits longer for work in progress than a stop does; the stop that follows finds the gateway gone.
  process.once('SIGUSR2', () => stop(drainSeconds))
  console.log(`ready ${gateway.urls.join(' ')}`)
}

async function startOrExit(
  env: GatewayEnv,
  version: string,
  release?: InstalledRelease,
): Promise<RunningGateway> {
  try {
    return await startGateway({
      ...optionsOf(env, version, release),
      listen: env.FLEET_LISTEN,
      log: env.FLEET_LOG,
    })
  } catch (error) {
    console.error(reasonOf(error))
    return process.exit(1)
  }
}
