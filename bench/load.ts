import { Agent, request as httpsRequest } from 'node:https'

export interface Load {
  readonly perSecond: number
  /** Milliseconds of each request. */
  readonly taken: number[]
}

/** Sends `count` GET requests over `connections` kept-alive TLS connections, one at a time on each. */
export async function load(url: string, ca: string, count: number, connections: number): Promise<Load> {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: connections })
  const taken: number[] = []
  const lane = async (share: number): Promise<void> => {
    for (let sent = 0; sent < share; sent += 1) taken.push(await once(url, agent))
  }
  await lane(connections)
  taken.length = 0
  const start = performance.now()
  await Promise.all(Array.from({ length: connections }, () => lane(Math.ceil(count / connections))))
  const seconds = (performance.now() - start) / 1000
  agent.destroy()
  return { perSecond: taken.length / seconds, taken }
}

function once(url: string, agent: Agent): Promise<number> {
  const start = performance.now()
  return new Promise((resolve, reject) => {
    const request = httpsRequest(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode ?? 0}`))
      response.resume()
      response.once('end', () => resolve(performance.now() - start))
    })
    request.once('error', reject)
    request.end()
  })
}
