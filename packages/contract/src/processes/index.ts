export { PROCESS_USAGE_PART } from './events.ts'
