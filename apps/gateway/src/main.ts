import { readEnv } from './env.ts'
import { startGateway } from './start.ts'

const env = readEnv()
const gateway = await startGateway({
  home: env.FLEET_HOME,
  listen: env.FLEET_LISTEN,
  databaseUrl: env.FLEET_DATABASE_URL,
  appKey: env.APP_KEY,
  names: ['gateway.fleet'],
  name: 'gateway',
  version: env.APP_VERSION ?? 'dev',
  log: env.FLEET_LOG,
})

const stop = (): void => {
  void gateway.stop().then(() => process.exit(0))
}
process.once('SIGTERM', stop)
process.once('SIGINT', stop)
console.log(`ready ${gateway.urls.join(' ')}`)
