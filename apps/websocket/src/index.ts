export type { TlsIdentity, WebsocketLimits, WebsocketOptions } from './options.ts'
export { type RunningWebsocket, startWebsocket } from './server.ts'
export { main, type MainParts, runServer } from './program/main.ts'
export { keepYoungGenerationSmall } from './young-generation.ts'
