import { randomBytes } from 'node:crypto'

/** What a new `websocket` role needs: key and secret of its application, and the name and port of its server. */
export const newRealtimeSettings = (host: string, port: number) => ({
  key: randomBytes(16).toString('hex'),
  secret: randomBytes(32).toString('hex'),
  host,
  port,
})
