// One event to many subscribers, with 1 and with 16 publishes in flight, beside ws as anybody writes it and Bun's own
// publish. Rates are deliveries for each second of a core that the server used.
import type { Measure } from './measure.ts'
import { fanOut } from './websocket/compare.ts'

export const run = (): AsyncGenerator<Measure> =>
  fanOut([
    { mode: 'plain', subscribers: 100 },
    { mode: 'plain', subscribers: 1000 },
  ])
