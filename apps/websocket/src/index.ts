export type { TlsIdentity, WebsocketLimits, WebsocketOptions } from './options.ts'
export { type RunningWebsocket, startWebsocket } from './server.ts'
