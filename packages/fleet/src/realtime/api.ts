export { makeRealtime, type RealtimeDomain } from '#/realtime/make.ts'
export type { AgentRealtime, RealtimeService } from '#/realtime/for-agents.ts'
export { FEED_WIRE_CHANNEL } from '#/realtime/channels.ts'
export { type ProcessSample, type ProcessUsage, usageEvents } from '#/realtime/usage.ts'
export { newRealtimeSettings } from '#/realtime/credentials.ts'
export {
  type RealtimeServer,
  type RealtimeServers,
  WEBSOCKET_APP_ID,
  WEBSOCKET_LABEL,
  WEBSOCKET_PORT,
} from '#/realtime/server.ts'

export {
  makeWebsocketService,
  type ServerProbe,
  type WebsocketDeps,
  type WebsocketService,
} from '#/realtime/service/service.ts'
