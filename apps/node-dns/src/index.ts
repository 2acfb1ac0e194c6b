export { main } from './main.ts'
export { selfTest } from './self-test.ts'
export { type Listener, type ListenerDeps, startListener } from './listener.ts'
