import { request } from 'node:https'

/** One request with its path as it is, byte by byte. */
export interface PathRequest {
  readonly address: string
  readonly port: number
  readonly host: string
  readonly path: string
  /** Root that the certificate is verified with, for the host. */
  readonly certificate: string
}

/** The status, and what came with it. */
export const fetchPath = (asked: PathRequest): Promise<{ readonly status: number; readonly body: string }> =>
  new Promise((resolve, reject) => {
    const { address, port, host, path, certificate: ca } = asked
    const options = { host: address, port, path, servername: host, ca, headers: { host }, agent: false }
    const asking = request(options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
      )
    })
    asking.on('error', reject)
    asking.end()
  })

/** The answer as `paths.tsv` says it: `app`, `script`, `file` by its first word, or the status; a secret in it says so. */
export async function askPath(asked: PathRequest): Promise<string> {
  const { status, body } = await fetchPath(asked)
  if (/never-served|\bran\b/.test(body)) return `${status} with a secret`
  if (status !== 200) return String(status)
  return /^(app|script|file) /.exec(body)?.[1] ?? `200 ${body.slice(0, 40)}`
}
