export { type LogsDomain, makeLogs } from '#/logs/make.ts'
export type { LogsParts } from '#/logs/parts.ts'
export type * from '#/logs/ports.ts'
export type { LogStreamMessage } from '#/logs/ports.ts'
