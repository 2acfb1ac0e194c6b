import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the range from which Linux takes ports for outgoing connections (`ip_local_port_range`), so that none of
 * those comes between the answer and the server that listens. */
const FIRST = 20_000
const COUNT = 10_000
/** Processes that begin to look at the same moment begin at different places. */
const APART = 20
let asked = 0

/** A TCP port of 127.0.0.1 that nobody listens on, and that no other test process of this machine gets before this one
 * has ended. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries += 1) {
    const port = FIRST + ((process.pid * APART + (asked += 1)) % COUNT)
    if ((await claimed(port)) && (await isFree(port))) return port
  }
  throw new Error(`no port of 127.0.0.1 from ${FIRST} to ${FIRST + COUNT - 1} is free`)
}

/** An abstract socket is a name for the whole machine, and the kernel gives it back when the process dies however it
 * dies. Only Linux has them; elsewhere a port is as free as it looks. */
async function claimed(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return true
  const claim = createServer().unref()
  return listens(claim.listen(`\0fleet-test-port-${port}`))
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  if (!(await listens(probe.listen(port, '127.0.0.1')))) return false
  await new Promise((resolve) => probe.close(resolve))
  return true
}

async function listens(server: ReturnType<typeof createServer>): Promise<boolean> {
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  }
}
