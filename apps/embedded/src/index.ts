export { settings } from './env.ts'
export { makeTransport, type TransportOptions } from './transport.ts'
