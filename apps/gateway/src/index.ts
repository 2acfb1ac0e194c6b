export type * from './gateway.ts'
export { startGateway, type GatewayOverrides } from './start.ts'
export type { Setting } from './env.ts'
