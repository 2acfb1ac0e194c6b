// The least that an agent could be: one request over TLS, one connection, one message every 5 s.
import { readFileSync } from 'node:fs'
import { get } from 'node:https'
import { WebSocket } from 'ws'

const [gateway = '', caFile = '', server = ''] = process.argv.slice(2)
get(gateway, { ca: readFileSync(caFile), agent: false }, (response) => response.resume())
const ws = new WebSocket(server, { perMessageDeflate: false })
ws.on('message', () => undefined)
setInterval(() => ws.send('{"event":"pusher:ping","data":{}}'), 5000)
