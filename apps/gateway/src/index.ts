export type * from './gateway.ts'
export type { GatewayOverrides } from './assemble.ts'
export { startGateway } from './start.ts'
export type { Setting } from './env.ts'
