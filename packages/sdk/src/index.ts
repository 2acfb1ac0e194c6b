export * from './client.ts'
export * from './core.ts'
export { type Fetch, fetchTransport } from './transport.ts'
