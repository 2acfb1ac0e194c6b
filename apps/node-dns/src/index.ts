export { main } from './main.ts'
export { selfTest } from './self-test.ts'
export { type Listener, type ListenerParts, startListener } from './listener.ts'
