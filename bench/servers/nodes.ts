// `nodes.ts COUNT HOST_KEY_FILE PUBLIC_KEY HOME`: that many embedded Nodes on loopback addresses of their own, in one process.
import { readFileSync } from 'node:fs'
import { Secret } from '@fleet/kernel'
import { startNodeServer } from '@fleet/ssh'

const [count = '1', hostKey = '', authorizedKey = '', home = ''] = process.argv.slice(2)
const nodes = await Promise.all(
  Array.from({ length: Number(count) }, async (_, index) => {
    // Where a system answers on 127.0.0.1 alone, the ports tell the Nodes apart.
    const host = process.platform === 'linux' ? `127.44.1.${index + 1}` : '127.0.0.1'
    const access = { hostKey: new Secret(readFileSync(hostKey, 'utf8')), authorizedKey }
    const server = await startNodeServer({ host, port: 0, user: 'bench', home, ...access })
    return { nodeId: index + 1, host, port: server.port, user: 'bench', fingerprint: server.fingerprint }
  }),
)
console.log(JSON.stringify({ nodes }))
