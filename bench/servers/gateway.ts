// A gateway on a home of its own: `gateway.ts HOME NODES INSTANCES`.
import { readFileSync } from 'node:fs'
import { startGateway } from '@fleet/gateway'
import { systemClock } from '@fleet/kernel'
import { makeHomeIdentity } from '@fleet/testing'
import { fillFleet } from './fill.ts'

const [home = '', nodes = '2', instances = '0'] = process.argv.slice(2)
await makeHomeIdentity(home, systemClock)
await fillFleet(home, Number(nodes), Number(instances))
const gateway = await startGateway({
  home,
  listen: [{ address: '127.0.0.1', port: 0 }],
  names: ['localhost'],
  name: 'gateway',
  version: 'bench',
  log: 'silent',
})
console.log(JSON.stringify({ url: gateway.urls[0], ca: readFileSync(gateway.caFile, 'utf8') }))
