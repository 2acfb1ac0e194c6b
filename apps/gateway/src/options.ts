import type { GatewayEnv } from './env.ts'
import type { GatewayOptions } from './gateway.ts'
import { gatewayNames, proxyNames } from './names.ts'
import type { InstalledRelease } from './release/installed-release.ts'

/** What the process that listens and the console commands of one installation have in common. */
export const optionsOf = (
  env: GatewayEnv,
  version: string,
  release: InstalledRelease | undefined,
): Omit<GatewayOptions, 'listen' | 'log'> => ({
  home: env.FLEET_HOME,
  databaseUrl: env.FLEET_DATABASE_URL,
  appKey: env.APP_KEY,
  names: gatewayNames(env),
  proxyNames: proxyNames(env),
  name: 'gateway',
  version: env.APP_VERSION ?? version,
  release,
  websocketPort: env.FLEET_WEBSOCKET_PORT,
  websocketOrigins: env.FLEET_WEBSOCKET_ORIGINS,
  acmeDirectory: env.FLEET_ACME_DIRECTORY,
  hibernation: {
    idleSeconds: env.FLEET_HIBERNATION_IDLE_SECONDS,
    dependencyIdleSeconds: env.FLEET_HIBERNATION_DEPENDENCY_IDLE_SECONDS,
    sweepSeconds: env.FLEET_HIBERNATION_SWEEP_SECONDS,
    wakeSeconds: env.FLEET_HIBERNATION_WAKE_TIMEOUT_SECONDS,
    coldWakeSeconds: env.FLEET_HIBERNATION_COLD_WAKE_TIMEOUT_SECONDS,
  },
})
