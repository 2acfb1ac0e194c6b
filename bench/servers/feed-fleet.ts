// The WebSocket server of this checkout: `feed-fleet.ts plain|tls HOME`.
import { systemClock } from '@fleet/kernel'
import { keepYoungGenerationSmall, startWebsocket } from '@fleet/websocket'
import { pino } from 'pino'
import '../websocket/collect.ts'
import { BENCH_APP } from '../websocket/app.ts'
import { identityOf } from '../websocket/identity.ts'

// As its program does.
keepYoungGenerationSmall()
const [mode, home = ''] = process.argv.slice(2)
const tls = mode === 'tls' ? identityOf(home) : undefined
const server = await startWebsocket({
  address: '127.0.0.1',
  port: 0,
  ...(tls ? { tls } : {}),
  apps: [{ ...BENCH_APP, clientEventsPerSecond: 1e9, activityTimeoutSeconds: 3600 }],
  limits: { messagesPerSecond: 1e9, maxQueuedBytes: 256 * 1024 * 1024 },
  clock: systemClock,
  log: pino({ level: 'silent' }),
})
console.log(JSON.stringify({ port: server.port, pid: process.pid }))
